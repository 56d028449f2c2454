"""Generates the web app's request and response types from the OpenAPI description.

The generator is a tool that has its own packages.
"""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from api.http.asgi_app import described
from scripts.devtools.paths import ROOT, TYPES_TOOL, VENV_BIN, WEBAPP, tool_environment

FILE: Final = WEBAPP / "src" / "api" / "schema.d.ts"
_PROGRAM: Final = TYPES_TOOL / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
#: A field with a default is optional in a request.
_OPTIONS: Final = ("--default-non-nullable=false",)
_EXAMPLES: Final = frozenset({"example", "examples"})
_HEAD: Final = "// Made by scripts/types from the OpenAPI description: change that, and run it.\n"


def types_of(document: dict[str, Any] | None = None) -> str:
    """Returns the types file of a description; by default that of the API."""
    spec = described() if document is None else document
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
    """Removes examples, which add nothing to types."""
    if isinstance(node, list):
        return [_without_examples(each) for each in node]
    if isinstance(node, dict):
        return {
            name: _without_examples(each) for name, each in node.items() if name not in _EXAMPLES
        }
    return node


if __name__ == "__main__":
    FILE.write_text(types_of())
    print(f"Written: {FILE.relative_to(ROOT)}")
