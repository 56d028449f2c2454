"""All faults of `scripts/mutants`."""

from typing import Final

from scripts.mutation.edge_faults import EDGE_FAULTS
from scripts.mutation.fault import Fault
from scripts.mutation.rule_faults import RULE_FAULTS

FAULTS: Final[tuple[Fault, ...]] = (*RULE_FAULTS, *EDGE_FAULTS)
