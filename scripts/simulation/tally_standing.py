"""The tally's rules for who may do what: members' own protection, and what staff set."""

from typing import Final

from scripts.simulation.tally import Line, Rule, Tally, demand

_FOR_GOOD: Final = 1 << 62


def _moves_nothing(_tally: Tally, _line: Line) -> None:
    """A setting that no other rule here hangs on."""


def _member_joined(tally: Tally, line: Line) -> None:
    demand(tally.groups[line.player] != 1, "a member joined again", line)
    tally.groups[line.player] = 1


def _time_out_taken(tally: Tally, line: Line) -> None:
    before, excluded = tally.desk.out.get(line.player, (0, 0))
    demand(line.fact["until"] >= before, "a time-out was shortened", line)
    tally.desk.out[line.player] = (line.fact["until"], excluded)


def _self_excluded(tally: Tally, line: Line) -> None:
    rests, before = tally.desk.out.get(line.player, (0, 0))
    until = line.fact["until"] or _FOR_GOOD
    demand(until >= before, "an exclusion was shortened", line)
    tally.desk.out[line.player] = (rests, until)


def _player_switched(tally: Tally, line: Line) -> None:
    (tally.desk.closed.add if line.fact["closed"] else tally.desk.closed.discard)(line.player)


def _payout_shown(tally: Tally, line: Line) -> None:
    known = (line.player, line.fact["withdrawal"]) in tally.desk.withdrawals
    demand(known, "staff saw where no open withdrawal goes", line)


def _code_set(tally: Tally, line: Line) -> None:
    tally.desk.codes.add(line.player)


def _code_lifted(tally: Tally, line: Line) -> None:
    demand(line.player in tally.desk.codes, "staff took away a code that there was not", line)
    tally.desk.codes.remove(line.player)


def _switch_turned(tally: Tally, line: Line) -> None:
    switches, scope = tally.desk.switches, line.fact["scope"]
    demand((scope in switches) != line.fact["closed"], "a switch turned to where it was", line)
    (switches.add if line.fact["closed"] else switches.discard)(scope)


def _terms_proposed(tally: Tally, line: Line) -> None:
    _propose(tally, line, "terms", "terms")


def _terms_set(tally: Tally, line: Line) -> None:
    _agreed(tally, line, "terms")
    tally.desk.four_eyes = line.fact["terms"]["four_eyes_minor"]


def _receiving_proposed(tally: Tally, line: Line) -> None:
    _propose(tally, line, "accounts", "receiving")


def _receiving_set(tally: Tally, line: Line) -> None:
    _agreed(tally, line, "accounts")


def _odds_proposed(tally: Tally, line: Line) -> None:
    _propose(tally, line, "table", "odds")


def _odds_set(tally: Tally, line: Line) -> None:
    """Nobody in the simulation agrees to other odds: the tally pays by the specification's."""
    _agreed(tally, line, "table")


def _proposal_rejected(tally: Tally, line: Line) -> None:
    open_ = {said[2]: name for name, said in tally.desk.wanted.items()}
    name = open_.get(line.fact["proposal"], "")
    demand(tally.desk.wanted.pop(name, None), "a proposal was rejected that was not open", line)


def _propose(tally: Tally, line: Line, name: str, kind: str) -> None:
    before = tally.desk.wanted.get(name)
    mine = before is None or before[1] == line.fact["by"]
    demand(mine, "a colleague's proposal was replaced", line)
    tally.desk.wanted[name] = (line.fact[name], line.fact["by"], f"{kind}-{line.version}")
    if line.fact[name] == tally.desk.agreed.get(name):
        del tally.desk.wanted[name]


def _agreed(tally: Tally, line: Line, name: str) -> None:
    value, by, _ = tally.desk.wanted.pop(name, (None, "", ""))
    demand(value == line.fact[name], f"{name} that nobody had proposed", line)
    demand(by != line.fact["by"], f"one person set the {name} alone", line)
    tally.desk.agreed[name] = value


def _identity_shared(_: Tally, line: Line) -> None:
    demand(line.fact["other"] != line.player, "a member shares an identity with themselves", line)


def _exclusion_carried(tally: Tally, line: Line) -> None:
    _identity_shared(tally, line)
    _self_excluded(tally, line)


def _identity_decided(tally: Tally, line: Line) -> None:
    _identity_shared(tally, line)
    rests, _ = tally.desk.out.get(line.player, (0, 0))
    tally.desk.out[line.player] = (rests, line.fact["excluded_until"])


def _change_proposed(tally: Tally, line: Line) -> None:
    change, kind = line.fact["change"], line.fact["kind"]
    demand(change not in tally.desk.changes, "an account change was proposed again", line)
    tally.desk.changes[change] = (line.player, kind, line.fact["by"])


def _change_ended(tally: Tally, line: Line) -> tuple[str, str]:
    """The kind of the change, and who proposed it."""
    player, kind, by = tally.desk.changes.pop(line.fact["change"], (0, "", ""))
    demand(player == line.player, "an account change that nobody had proposed", line)
    return kind, by


def _change_rejected(tally: Tally, line: Line) -> None:
    kind, _ = _change_ended(tally, line)
    demand(kind == line.fact["kind"], "another account change was rejected", line)


def _password_reset(tally: Tally, line: Line) -> None:
    _agreed_change(tally, line, "password_reset")
    demand(line.fact["usable_at"] >= line.at, "a reset password delays nothing", line)


def _member_erased(tally: Tally, line: Line) -> None:
    _agreed_change(tally, line, "erasure")
    held = sum(
        tally.accounts[f"player:{line.player}:{part}"]
        for part in ("available", "staked", "withdrawing")
    )
    demand(not held, "a member was erased who had money in the house", line)
    tally.desk.closed.add(line.player)


def _agreed_change(tally: Tally, line: Line, wanted: str) -> None:
    kind, by = _change_ended(tally, line)
    demand(kind == wanted, "another account change was carried out", line)
    demand(by == line.fact["proposed_by"], "an account change by another proposer", line)
    demand(by != line.fact["by"], "one person changed an account alone", line)


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
    "program-checked.1": _moves_nothing,
    "content-published.1": _moves_nothing,
    "content-withdrawn.1": _moves_nothing,
    "message-sent.1": _moves_nothing,
    "message-withdrawn.1": _moves_nothing,
    "base-info-completed.1": _moves_nothing,
    "payout-account-set.1": _moves_nothing,
    "security-code-set.1": _code_set,
    "security-code-lifted.1": _code_lifted,
    "quota-reserved.1": _moves_nothing,
    "quota-released.1": _moves_nothing,
    "limit-set.1": _moves_nothing,
    "reality-check-set.1": _moves_nothing,
}
