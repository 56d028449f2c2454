"""From the description of calls to TypeScript, by a tool with packages of its own."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from api.openapi.document import description
from api.web import CALLS
from scripts.toolbox.places import TYPES_TOOL, VENV_BIN, WEBAPP, tool_environment

FILE: Final = WEBAPP / "src" / "api" / "schema.d.ts"
_PROGRAM: Final = TYPES_TOOL / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
#: What has a default may be left out of a request.
_OPTIONS: Final = ("--default-non-nullable=false",)
_EXAMPLES: Final = frozenset({"example", "examples"})
_HEAD: Final = "// Made by scripts/types from the OpenAPI description: change that, and run it.\n"


def types_of(document: dict[str, Any] | None = None) -> str:
    """The file for a description, that of all calls unless another one is given."""
    spec = description(CALLS) if document is None else document
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "openapi.json")
        source.write_text(json.dumps(_without_examples(spec)))
        made = subprocess.run(
            [VENV_BIN / "node", _PROGRAM, source, *_OPTIONS],
            cwd=TYPES_TOOL,
            env=tool_environment(),
            capture_output=True,
            check=True,
            text=True,
        )
    return _HEAD + made.stdout


def _without_examples(node: Any) -> Any:
    """Types are read by programs, which learn nothing from examples."""
    if isinstance(node, list):
        return [_without_examples(each) for each in node]
    if isinstance(node, dict):
        return {
            name: _without_examples(each) for name, each in node.items() if name not in _EXAMPLES
        }
    return node
