"""The faults of `scripts/mutants`: that each can still be planted."""

import pytest

from scripts.mutation.fault import Fault
from scripts.mutation.faults import FAULTS
from scripts.toolbox.places import ROOT


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fits_the_code_in_one_place(fault: Fault) -> None:
    code = (ROOT / fault.path).read_text()

    assert code.count(fault.before) == 1
    assert fault.after != fault.before
