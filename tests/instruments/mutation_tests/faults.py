"""All faults of `scripts/mutants`."""

from typing import Final

from tests.instruments.mutation_tests.edge_faults import EDGE_FAULTS
from tests.instruments.mutation_tests.fault import Fault
from tests.instruments.mutation_tests.rule_faults import RULE_FAULTS

FAULTS: Final[tuple[Fault, ...]] = (*RULE_FAULTS, *EDGE_FAULTS)
