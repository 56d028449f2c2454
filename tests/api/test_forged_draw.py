"""A draw that the operator writes into the log by hand, with the application's role.

That role must be able to append draws, because the engine appends with it. So such a draw is not
prevented, but a check of its proof and the audit find it.
"""

from pathlib import Path

import psycopg
from msgspec.structs import replace

from engine.facts import encode, round_stream
from engine.fairness.canonical import canonical
from engine.fairness.draw import draw as draw_digits
from engine.fairness.verify import Check
from engine.fairness.witness_state import Signed
from engine.rounds.facts import RoundDrawn
from engine.rounds.state import record_of
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.scheduler.drawing import operator_link
from scripts.audit_tool.draw_audit.stored import last_position
from scripts.audit_tool.fairness import audited_draws
from tests.api.support import ApiServer
from tests.api.test_proofs import close_round, findings, proof
from tests.ports import reserved_port

APPEND = (
    "SELECT log.append_batch(NULL, '', %s, NULL, ARRAY[%s], ARRAY[(SELECT"
    " max(originator_version) + 1 FROM log.facts WHERE originator_id = %s)], ARRAY[%s],"
    " ARRAY[%s::bytea], ARRAY['by hand'], ARRAY['scheduler'], '{}', '{}', '{}', '{}', '{}')"
)


def test_a_draw_with_other_digits_is_found_by_its_proof_and_by_the_audit_which_names_its_position(
    database: Conninfos, tmp_path: Path
) -> None:
    with ApiServer(database, tmp_path, reserved_port()) as house:
        assert house.register().bet("big", 10)["code"] == 1
        issue = close_round(house)
        true = drawn(house, issue)
        forged = replace(true, digits=tuple((each + 1) % 10 for each in true.digits))
        forged = replace(forged, total=sum(forged.digits))
        position = append(house, forged)
        house.catch_up()
        shown = proof(house, issue)
        assert shown["drawn"]["digits"] == list(forged.digits)
        assert [each.check for each in findings(shown) if not each.passed] == [Check.DIGITS]
        with psycopg.connect(database.auditor or "") as connection:
            audit = audited_draws(connection, last_position(connection))
    expected = f"the digits are {list(forged.digits)}, but the links give {list(true.digits)}"
    assert [(each.position, each.what) for each in audit.findings] == [
        (position, f"game 1 round {issue}: {expected}")
    ]


def drawn(house: ApiServer, issue: str) -> RoundDrawn:
    """The fact that the engine would store for game 1's closed round, with all secrets."""
    round_ = house.engine.state.rounds[1, issue]
    opened, closed = round_.opened, round_.closed
    assert closed is not None
    parties = house.engine._context
    request = Signed(canonical(record_of(closed)), bytes.fromhex(closed.signature))
    witness, released = parties.witness.release(request)
    operator = operator_link(parties.chains, round_)
    place = ("1", opened.day, opened.index)
    digits = draw_digits(operator, witness, *place, bytes.fromhex(closed.frozen), None)
    return RoundDrawn(
        1,
        opened.day,
        opened.index,
        issue,
        operator.hex(),
        witness.hex(),
        closed.frozen,
        digits,
        sum(digits),
        closed.signature,
        released.hex(),
    )


def append(house: ApiServer, fact: RoundDrawn) -> int:
    """Store the fact at the time of the draw, with the application's role; its position."""
    stream = round_stream(fact.game, fact.issue)
    at = house.engine.state.rounds[fact.game, fact.issue].opened.draws_at
    parameters = (at, stream, stream, fact.topic, encode(fact))
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute(APPEND, parameters).fetchone()
    assert row is not None
    return int(row[0]) + 1
