"""What Python loads at the start of each program of a node with a clock of its own.

libfaketime 0.9.10 refuses the sleep of Python 3.11, which lasts until a monotonic time: "Invalid
argument" (issue 426 of wolfcw/libfaketime). This one lasts for a duration.
"""

import select
import time
from typing import SupportsIndex


def sleep(seconds: float | SupportsIndex, /) -> None:
    """Suspend the calling thread for this time."""
    select.select((), (), (), float(seconds))


time.sleep = sleep
