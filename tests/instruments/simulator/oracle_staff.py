"""The oracle's rules for staff: who gets roles and passes, and by how many approvers."""

from typing import Final

from tests.instruments.simulator.oracle import LogRecord, Oracle, Rule, check

_TWO: Final = 2
_NINETY_DAYS_US: Final = 90 * 86_400_000_000


def _roles_proposed(oracle: Oracle, record: LogRecord) -> None:
    check(record.fact["by"] != "machine", "the machine proposed where it may set", record)
    oracle.settings.proposals[record.fact["name"]] = record.fact["proposal"]
    oracle.settings.proposers[record.fact["proposal"]] = record.fact["by"]


def _roles_set(oracle: Oracle, record: LogRecord) -> None:
    settings, fact = oracle.settings, record.fact
    name, proposer, other = fact["name"], fact["proposed_by"], fact["agreed_by"]
    if other:
        check(settings.proposals.get(name) == fact["proposal"], "roles without a proposal", record)
        check(settings.proposers[fact["proposal"]] == proposer, "another had proposed that", record)
        check(other not in {proposer, f"staff:{name}"}, "one person set roles alone", record)
    else:
        few = len(settings.managers | _seated(oracle, record)) < _TWO
        check(proposer == "machine" and few, "the machine set roles that take two", record)
    settings.removed.discard(name)
    _employ(oracle, record, is_manager="manager" in fact["roles"])


def _roles_rejected(oracle: Oracle, record: LogRecord) -> None:
    open_ = oracle.settings.proposals.pop(record.fact["name"], "")
    check(open_ == record.fact["proposal"], "a proposal was dropped that was not open", record)


def _seated(oracle: Oracle, record: LogRecord) -> set[str]:
    """The managers whose newest pass has not expired; one person can end a pass, but not a role."""
    settings = oracle.settings
    return {
        who
        for who in settings.managers | settings.removed
        if settings.issued.get(who, 0) > record.at
    }


def _staff_removed(oracle: Oracle, record: LogRecord) -> None:
    oracle.settings.removed |= oracle.settings.managers & {record.fact["name"]}
    _employ(oracle, record, is_manager=False)


def _employ(oracle: Oracle, record: LogRecord, *, is_manager: bool) -> None:
    settings, name = oracle.settings, record.fact["name"]
    had_managers = bool(settings.managers)
    (settings.managers.add if is_manager else settings.managers.discard)(name)
    check(settings.managers or not had_managers, "the last manager is gone", record)
    settings.proposals.pop(name, None)
    if not record.fact.get("roles"):
        settings.passes.pop(name, None)
        settings.pass_proposals.pop(name, None)
    if not is_manager:
        settings.proposed = {
            each: proposal
            for each, proposal in settings.proposed.items()
            if proposal[1] != f"staff:{name}"
        }
        settings.pass_proposals = {
            each: proposal
            for each, proposal in settings.pass_proposals.items()
            if proposal[1] != f"staff:{name}"
        }
        proposals = settings.proposals.items()
        settings.proposals = {
            each: open_ for each, open_ in proposals if settings.proposers[open_] != f"staff:{name}"
        }


def _pass_proposed(oracle: Oracle, record: LogRecord) -> None:
    name, fingerprint, by = record.fact["name"], record.fact["fingerprint"], record.fact["by"]
    check(by != "machine", "the machine proposes a pass that it can issue alone", record)
    oracle.settings.pass_proposals[name] = (fingerprint, by)


def _pass_issued(oracle: Oracle, record: LogRecord) -> None:
    settings, fact = oracle.settings, record.fact
    name, fingerprint = fact["name"], fact["fingerprint"]
    proposer, other = fact["proposed_by"], fact["agreed_by"]
    seated = _seated(oracle, record)
    if other:
        proposed = settings.pass_proposals.get(name)
        check(proposed == (fingerprint, proposer), "a pass without a proposal", record)
        check(other != proposer, "one person gave a pass alone", record)
        few = len(seated) < _TWO
        check(other != "machine" or few, "the machine spoke where two managers can", record)
    else:
        few = len(settings.managers | seated) < _TWO or not seated
        check(proposer == "machine" and few, "the machine gave a pass that takes two", record)
    check(fingerprint not in settings.fingerprints, "a pass was given twice", record)
    check(fact["until"] == record.at + _NINETY_DAYS_US, "a pass of another length", record)
    settings.fingerprints.add(fingerprint)
    settings.passes[name] = settings.issued[name] = fact["until"]
    settings.pass_proposals.pop(name, None)


def _pass_ended(oracle: Oracle, record: LogRecord) -> None:
    name = record.fact["name"]
    check(
        name in oracle.settings.passes or name in oracle.settings.pass_proposals,
        "no pass was there to end",
        record,
    )
    oracle.settings.passes.pop(name, None)
    oracle.settings.pass_proposals.pop(name, None)


def _void_proposed(oracle: Oracle, record: LogRecord) -> None:
    oracle.settings.proposers[record.fact["proposal"]] = record.fact["by"]


def _void_decided(oracle: Oracle, record: LogRecord) -> None:
    check(
        record.fact["proposal"] in oracle.settings.proposers, "an unknown void is decided", record
    )


def _void_agreed(oracle: Oracle, record: LogRecord) -> None:
    _void_decided(oracle, record)
    proposer = oracle.settings.proposers[record.fact["proposal"]]
    check(proposer != record.fact["by"], "one person voided a round alone", record)


def _house_founded(oracle: Oracle, record: LogRecord) -> None:
    check(record.fact["mode"] in {"demo", "real"}, "a house of another mode", record)
    check(not oracle.settings.founded, "a house was founded twice", record)
    oracle.settings.founded = True


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
