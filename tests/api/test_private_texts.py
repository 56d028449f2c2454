"""Private texts are stored in the vault only: no fact and no stored outcome contains one."""

import base64

import psycopg

from tests.api.banking import CODE, HOLDER, prepare, set_terms, withdraw
from tests.api.staffing import close, decided
from tests.api.support import PASSWORD, ApiServer, new_key

MESSAGE = "zanzibar in the chat"
REFERENCE = "zanzibar 4711"
REASON = "zanzibar is no reason"


def test_no_fact_and_no_outcome_contains_private_texts(house: ApiServer) -> None:
    """Erasure destroys keys in the vault. The log stays, so it must hold no private texts."""
    player = house.register(username="Quetzal1x")
    set_terms(house, cooling_us=0)
    prepare(player)
    house.next_round()
    chat = {"plan_id": 1, "game_id": 1, "words": MESSAGE}
    assert player.call("Lottery/say", chat, new_key())["code"] == 1
    deposit = {"amount": 100, "channel": "bank", "reference": REFERENCE}
    announced = player.call("user/deposit", deposit, new_key())
    assert announced["code"] == 1, announced
    number = announced["data"]["id"]
    close(player)  # so that turnover due on the gift does not block the withdrawal
    withdrawal = withdraw(player)["data"]["id"]
    house.catch_up()
    for kind, item in (("deposit", number), ("withdrawal", withdrawal)):
        decided(house, kind, item, "ann", approve=False, reason=REASON)
    set_terms(house)
    words = [player.username, MESSAGE, REFERENCE, REASON, PASSWORD, CODE, player.token, HOLDER]
    with psycopg.connect(house.conninfos.app) as connection:
        stored = connection.execute(
            "SELECT state, command_id || actor FROM log.facts WHERE originator_id = %s"
            " UNION ALL SELECT command || answer, actor || key FROM log.outcomes WHERE actor = %s",
            [f"player-{player.id}"] * 2,
        ).fetchall()
    assert len(stored) > len(words)
    text = b"\n".join(bytes(state) + names.encode() for state, names in stored).lower()
    found = [
        word
        for word in words
        for form in (word.encode(), base64.b64encode(word.encode()), word.encode().hex().encode())
        if form.lower() in text
    ]
    assert found == []
