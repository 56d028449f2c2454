"""The tally's rules for the staff: who gets roles and passes, and by how many hands."""

from typing import Final

from scripts.simulation.tally import Line, Rule, Tally, demand

_TWO: Final = 2
_NINETY_DAYS_US: Final = 90 * 86_400_000_000


def _roles_proposed(tally: Tally, line: Line) -> None:
    demand(line.fact["by"] != "machine", "the machine proposed where it may set", line)
    tally.desk.proposals[line.fact["name"]] = line.fact["proposal"]
    tally.desk.proposers[line.fact["proposal"]] = line.fact["by"]


def _roles_set(tally: Tally, line: Line) -> None:
    desk, fact = tally.desk, line.fact
    name, proposer, other = fact["name"], fact["proposed_by"], fact["agreed_by"]
    if other:
        demand(desk.proposals.get(name) == fact["proposal"], "roles nobody proposed", line)
        demand(desk.proposers[fact["proposal"]] == proposer, "another had proposed that", line)
        demand(other not in {proposer, f"staff:{name}"}, "one person set roles alone", line)
    else:
        few = len(desk.managers | _seated(tally, line)) < _TWO
        demand(proposer == "machine" and few, "the machine set roles that take two", line)
    desk.removed.discard(name)
    _employ(tally, line, is_manager="manager" in fact["roles"])


def _roles_rejected(tally: Tally, line: Line) -> None:
    open_ = tally.desk.proposals.pop(line.fact["name"], "")
    demand(open_ == line.fact["proposal"], "a proposal was dropped that was not open", line)


def _seated(tally: Tally, line: Line) -> set[str]:
    """The managers whose newest pass has not expired; one person ends a pass, never a seat."""
    desk = tally.desk
    return {who for who in desk.managers | desk.removed if desk.issued.get(who, 0) > line.at}


def _staff_removed(tally: Tally, line: Line) -> None:
    tally.desk.removed |= tally.desk.managers & {line.fact["name"]}
    _employ(tally, line, is_manager=False)


def _employ(tally: Tally, line: Line, *, is_manager: bool) -> None:
    desk, name = tally.desk, line.fact["name"]
    had_managers = bool(desk.managers)
    (desk.managers.add if is_manager else desk.managers.discard)(name)
    demand(desk.managers or not had_managers, "the last manager is gone", line)
    desk.proposals.pop(name, None)
    if not line.fact.get("roles"):
        desk.passes.pop(name, None)
        desk.sayings.pop(name, None)
    if not is_manager:
        desk.wanted = {
            each: said for each, said in desk.wanted.items() if said[1] != f"staff:{name}"
        }
        desk.sayings = {
            each: said for each, said in desk.sayings.items() if said[1] != f"staff:{name}"
        }
        proposals = desk.proposals.items()
        desk.proposals = {
            each: open_ for each, open_ in proposals if desk.proposers[open_] != f"staff:{name}"
        }


def _pass_proposed(tally: Tally, line: Line) -> None:
    name, fingerprint, by = line.fact["name"], line.fact["fingerprint"], line.fact["by"]
    demand(by != "machine", "the machine waits for nobody's word on a pass", line)
    tally.desk.sayings[name] = (fingerprint, by)


def _pass_issued(tally: Tally, line: Line) -> None:
    desk, fact = tally.desk, line.fact
    name, fingerprint = fact["name"], fact["fingerprint"]
    proposer, other = fact["proposed_by"], fact["agreed_by"]
    seated = _seated(tally, line)
    if other:
        said = desk.sayings.get(name)
        demand(said == (fingerprint, proposer), "a pass that nobody had spoken for", line)
        demand(other != proposer, "one person gave a pass alone", line)
        few = len(seated) < _TWO
        demand(other != "machine" or few, "the machine spoke where two managers can", line)
    else:
        few = len(desk.managers | seated) < _TWO or not seated
        demand(proposer == "machine" and few, "the machine gave a pass that takes two", line)
    demand(fingerprint not in desk.fingerprints, "a pass was given twice", line)
    demand(fact["until"] == line.at + _NINETY_DAYS_US, "a pass of another length", line)
    desk.fingerprints.add(fingerprint)
    desk.passes[name] = desk.issued[name] = fact["until"]
    desk.sayings.pop(name, None)


def _pass_ended(tally: Tally, line: Line) -> None:
    name = line.fact["name"]
    demand(
        name in tally.desk.passes or name in tally.desk.sayings, "no pass was there to end", line
    )
    tally.desk.passes.pop(name, None)
    tally.desk.sayings.pop(name, None)


def _void_proposed(tally: Tally, line: Line) -> None:
    tally.desk.proposers[line.fact["proposal"]] = line.fact["by"]


def _void_decided(tally: Tally, line: Line) -> None:
    demand(line.fact["proposal"] in tally.desk.proposers, "an unknown void is decided", line)


def _void_agreed(tally: Tally, line: Line) -> None:
    _void_decided(tally, line)
    proposer = tally.desk.proposers[line.fact["proposal"]]
    demand(proposer != line.fact["by"], "one person voided a round alone", line)


def _house_founded(tally: Tally, line: Line) -> None:
    demand(line.fact["mode"] in {"demo", "real"}, "a house of another mode", line)
    demand(not tally.desk.founded, "a house was founded twice", line)
    tally.desk.founded = True


RULES: Final[dict[str, Rule]] = {
    "house-founded.1": _house_founded,
    "void-proposed.1": _void_proposed,
    "void-agreed.1": _void_agreed,
    "void-dropped.1": _void_decided,
    "roles-proposed.1": _roles_proposed,
    "roles-set.1": _roles_set,
    "roles-rejected.1": _roles_rejected,
    "staff-removed.1": _staff_removed,
    "pass-proposed.1": _pass_proposed,
    "pass-issued.1": _pass_issued,
    "pass-ended.1": _pass_ended,
}
