"""`python -m scripts.cluster_tool`: what scripts/cluster runs."""

import sys

from scripts.cluster_tool.cli import main

sys.exit(main())
