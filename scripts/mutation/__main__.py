"""Plants the faults one after another and says which test caught each."""

import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.mutation.copies import FaultError, copy_of_the_code, judge
from scripts.mutation.faults import FAULTS, Fault
from scripts.mutation.options import read_options


def main(arguments: Sequence[str]) -> int:
    """The run; 1 when a fault survived or does not fit."""
    options = read_options(arguments)
    faults = [fault for fault in FAULTS if not options.only or fault.name in options.only]
    if options.list:
        for fault in faults:
            print(f"{fault.name:32} {fault.path}")
        return 0
    return _run(faults)


def _run(faults: Sequence[Fault]) -> int:
    with copy_of_the_code() as folder:
        print("without a fault … ", end="", flush=True)
        sound = judge(folder, None)
        if sound.test:
            print(f"{sound.test} fails already; nothing can be said about faults")
            return 1
        print(f"all pass ({sound.seconds:.0f} s)")
        left = [fault for fault in faults if not _is_caught(folder, fault)]
    if left:
        print(f"{len(left)} of {len(faults)} faults SURVIVED: {', '.join(f.name for f in left)}")
        return 1
    print(f"all {len(faults)} faults were caught")
    return 0


def _is_caught(folder: Path, fault: Fault) -> bool:
    print(f"{fault.name:32} … ", end="", flush=True)
    try:
        verdict = judge(folder, fault)
    except FaultError as error:
        print(f"DOES NOT FIT: {error}")
        return False
    test = verdict.test.removeprefix("tests/engine/") or "SURVIVED"
    print(f"{test} ({verdict.seconds:.0f} s)")
    return bool(verdict.test)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
