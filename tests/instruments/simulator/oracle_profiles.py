"""The oracle's rules for permissions: players' own protection, and settings by staff."""

from typing import Final

from tests.instruments.simulator.oracle import LogRecord, Oracle, Rule, check

_FOR_GOOD: Final = 1 << 62


def _accept(_oracle: Oracle, _record: LogRecord) -> None:
    """A setting that no other rule here depends on."""


def _member_joined(oracle: Oracle, record: LogRecord) -> None:
    check(oracle.groups[record.player] != 1, "a member joined again", record)
    oracle.groups[record.player] = 1


def _time_out_taken(oracle: Oracle, record: LogRecord) -> None:
    before, excluded = oracle.settings.blocked_until.get(record.player, (0, 0))
    check(record.fact["until"] >= before, "a time-out was shortened", record)
    oracle.settings.blocked_until[record.player] = (record.fact["until"], excluded)


def _self_excluded(oracle: Oracle, record: LogRecord) -> None:
    rests, before = oracle.settings.blocked_until.get(record.player, (0, 0))
    until = record.fact["until"] or _FOR_GOOD
    check(until >= before, "an exclusion was shortened", record)
    oracle.settings.blocked_until[record.player] = (rests, until)


def _player_switched(oracle: Oracle, record: LogRecord) -> None:
    (oracle.settings.closed.add if record.fact["closed"] else oracle.settings.closed.discard)(
        record.player
    )


def _payout_shown(oracle: Oracle, record: LogRecord) -> None:
    is_open = (record.player, record.fact["withdrawal"]) in oracle.settings.withdrawals
    check(is_open, "staff saw where no open withdrawal goes", record)


def _code_set(oracle: Oracle, record: LogRecord) -> None:
    oracle.settings.codes.add(record.player)


def _code_removed(oracle: Oracle, record: LogRecord) -> None:
    check(
        record.player in oracle.settings.codes, "staff took away a code that there was not", record
    )
    oracle.settings.codes.remove(record.player)


def _switch_turned(oracle: Oracle, record: LogRecord) -> None:
    switches, scope = oracle.settings.switches, record.fact["scope"]
    check((scope in switches) != record.fact["closed"], "a switch turned to where it was", record)
    (switches.add if record.fact["closed"] else switches.discard)(scope)


def _terms_proposed(oracle: Oracle, record: LogRecord) -> None:
    _propose(oracle, record, "terms", "terms")


def _terms_set(oracle: Oracle, record: LogRecord) -> None:
    _agreed(oracle, record, "terms")
    oracle.settings.four_eyes = record.fact["terms"]["four_eyes_minor"]


def _receiving_proposed(oracle: Oracle, record: LogRecord) -> None:
    _propose(oracle, record, "accounts", "receiving")


def _receiving_set(oracle: Oracle, record: LogRecord) -> None:
    _agreed(oracle, record, "accounts")


def _odds_proposed(oracle: Oracle, record: LogRecord) -> None:
    _propose(oracle, record, "table", "odds")


def _odds_set(oracle: Oracle, record: LogRecord) -> None:
    """The simulation never approves other odds: the oracle pays by the specification's."""
    _agreed(oracle, record, "table")


def _proposal_rejected(oracle: Oracle, record: LogRecord) -> None:
    open_ = {proposal[2]: name for name, proposal in oracle.settings.proposed.items()}
    name = open_.get(record.fact["proposal"], "")
    check(
        oracle.settings.proposed.pop(name, None),
        "a proposal was rejected that was not open",
        record,
    )


def _propose(oracle: Oracle, record: LogRecord, name: str, kind: str) -> None:
    before = oracle.settings.proposed.get(name)
    is_own = before is None or before[1] == record.fact["by"]
    check(is_own, "a colleague's proposal was replaced", record)
    oracle.settings.proposed[name] = (
        record.fact[name],
        record.fact["by"],
        f"{kind}-{record.version}",
    )
    if record.fact[name] == oracle.settings.agreed.get(name):
        del oracle.settings.proposed[name]


def _agreed(oracle: Oracle, record: LogRecord, name: str) -> None:
    value, by, _ = oracle.settings.proposed.pop(name, (None, "", ""))
    check(value == record.fact[name], f"{name} without a proposal", record)
    check(by != record.fact["by"], f"one person set the {name} alone", record)
    oracle.settings.agreed[name] = value


def _identity_shared(_: Oracle, record: LogRecord) -> None:
    check(
        record.fact["other"] != record.player, "a member shares an identity with themselves", record
    )


def _exclusion_carried(oracle: Oracle, record: LogRecord) -> None:
    _identity_shared(oracle, record)
    _self_excluded(oracle, record)


def _identity_decided(oracle: Oracle, record: LogRecord) -> None:
    _identity_shared(oracle, record)
    rests, _ = oracle.settings.blocked_until.get(record.player, (0, 0))
    oracle.settings.blocked_until[record.player] = (rests, record.fact["excluded_until"])


def _change_proposed(oracle: Oracle, record: LogRecord) -> None:
    change, kind = record.fact["change"], record.fact["kind"]
    check(change not in oracle.settings.changes, "an account change was proposed again", record)
    oracle.settings.changes[change] = (record.player, kind, record.fact["by"])


def _change_ended(oracle: Oracle, record: LogRecord) -> tuple[str, str]:
    """The kind of the change, and its proposer."""
    player, kind, by = oracle.settings.changes.pop(record.fact["change"], (0, "", ""))
    check(player == record.player, "an account change without a proposal", record)
    return kind, by


def _change_rejected(oracle: Oracle, record: LogRecord) -> None:
    kind, _ = _change_ended(oracle, record)
    check(kind == record.fact["kind"], "another account change was rejected", record)


def _password_reset(oracle: Oracle, record: LogRecord) -> None:
    _agreed_change(oracle, record, "password_reset")
    check(record.fact["usable_at"] >= record.at, "a reset password delays nothing", record)


def _member_erased(oracle: Oracle, record: LogRecord) -> None:
    _agreed_change(oracle, record, "erasure")
    balance = sum(
        oracle.accounts[f"player:{record.player}:{part}"]
        for part in ("available", "staked", "withdrawing")
    )
    check(not balance, "a member was erased who had money in the house", record)
    oracle.settings.closed.add(record.player)


def _agreed_change(oracle: Oracle, record: LogRecord, expected_kind: str) -> None:
    kind, by = _change_ended(oracle, record)
    check(kind == expected_kind, "another account change was carried out", record)
    check(by == record.fact["proposed_by"], "an account change by another proposer", record)
    check(by != record.fact["by"], "one person changed an account alone", record)


RULES: Final[dict[str, Rule]] = {
    "account-change-proposed.1": _change_proposed,
    "account-change-rejected.1": _change_rejected,
    "password-reset.1": _password_reset,
    "member-erased.1": _member_erased,
    "identity-shared.1": _identity_shared,
    "exclusion-carried.1": _exclusion_carried,
    "identity-decided.1": _identity_decided,
    "member-joined.1": _member_joined,
    "time-out-taken.1": _time_out_taken,
    "self-excluded.1": _self_excluded,
    "player-switched.1": _player_switched,
    "payout-shown.1": _payout_shown,
    "switch-turned.1": _switch_turned,
    "odds-proposed.1": _odds_proposed,
    "odds-set.1": _odds_set,
    "proposal-rejected.1": _proposal_rejected,
    "terms-proposed.1": _terms_proposed,
    "terms-set.1": _terms_set,
    "receiving-accounts-proposed.1": _receiving_proposed,
    "receiving-accounts-set.1": _receiving_set,
    "program-checked.1": _accept,
    "content-published.1": _accept,
    "content-withdrawn.1": _accept,
    "message-sent.1": _accept,
    "message-withdrawn.1": _accept,
    "base-info-completed.1": _accept,
    "payout-account-set.1": _accept,
    "security-code-set.1": _code_set,
    "security-code-lifted.1": _code_removed,
    "quota-reserved.1": _accept,
    "quota-released.1": _accept,
    "limit-set.1": _accept,
    "reality-check-set.1": _accept,
}
