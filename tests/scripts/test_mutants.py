"""Every fault of `scripts/mutants` can still be planted."""

import pytest

from scripts.devtools.paths import ROOT
from tests.instruments.mutation_tests.fault import Fault
from tests.instruments.mutation_tests.faults import FAULTS


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fits_the_code_in_one_place(fault: Fault) -> None:
    code = (ROOT / fault.path).read_text()

    assert code.count(fault.before) == 1
    assert fault.after != fault.before
