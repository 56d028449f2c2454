"""Paths in the checkout, and the environment in which its programs run."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
WEBAPP = ROOT / "webapp"
TYPES_TOOL = WEBAPP / "tools" / "types"
LIGHTHOUSE_TOOL = WEBAPP / "tools" / "lighthouse"
VENV = ROOT / ".venv"
VENV_BIN = VENV / "bin"
PYTHON = VENV_BIN / "python"
CACHE = ROOT / ".cache"
#: Names the data folder if `--data` does not; api/README.md lists it among the settings.
DATA_VARIABLE = "FAIRDRAW_DATA"
_NOT_OURS = frozenset({"PYTHONHOME", "PYTHONDONTWRITEBYTECODE"})


def data_folder() -> Path:
    """Returns the data folder if the command line names none."""
    return Path(os.environ.get(DATA_VARIABLE) or ROOT / ".data")


def tool_environment() -> dict[str, str]:
    """Returns the caller's environment with this checkout's Python, Node and npm first."""
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    path = os.pathsep.join([str(VENV_BIN), os.environ.get("PATH", os.defpath)])
    return inherited | {
        "PATH": path,
        "VIRTUAL_ENV": str(VENV),
        "npm_config_cache": str(CACHE / "npm"),
        # A test run starts hundreds of programs; this compiles them once.
        "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode"),
        "NODE_USE_SYSTEM_CA": "1",  # behind a company's proxy, trust the system's certificates
    }
