"""The app's own checks in Chromium, with the vectors of which the engine and Node are tested too.

The app loads its checks from files whose names the build chooses. So the same source is bundled
once more, and runs in a page of the running app, with the browser's own cryptography.
"""

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from scripts.devtools.paths import ROOT, WEBAPP, tool_environment
from tests.engine.fairness import log_vectors

_SOURCES: Final = (
    "crypto/encoding.ts",
    "crypto/hashing.ts",
    "crypto/merkle.ts",
    "log/checkpoint.ts",
    "checkProof.ts",
)
_EXAMPLES: Final = ROOT / "api" / "http" / "openapi" / "examples" / "lottery.json"
_COUNTED: Final = """async ([vectors, proof, player]) => {
  const { fromHex, hex } = app;
  const hashing = app.webHashing(crypto.subtle);
  const right = { leaves: 0, inclusion: 0, consistency: 0, notes: 0, steps: 0 };
  for (const { entry, leaf } of vectors.leaves) {
    right.leaves += hex(await app.leafHash(hashing, fromHex(entry))) === leaf;
  }
  for (const { leaf, index, size, path } of vectors.inclusion) {
    const root = await app.rootOf(hashing, fromHex(leaf), index, size, path);
    right.inclusion += root !== null && hex(root) === vectors.roots[size];
  }
  for (const { old, new: now, path } of vectors.consistency) {
    const [before, after] = [old, now].map((size) => ({ size, root: vectors.roots[size] }));
    right.consistency += await app.continues(hashing, before, after, path);
  }
  for (const text of vectors.notes) {
    const note = app.readCheckpoint(text);
    const isSigned = await app.isSignedBy(hashing, note, vectors.operator_key);
    right.notes += isSigned && note.root === vectors.roots[note.size];
  }
  const checked = await app.check(hashing, proof, { game_id: 1, issue: proof.issue, player });
  right.steps = checked.steps.filter((step) => step.verdict === "right").length;
  return right;
}"""
_STEPS: Final = 6  # of a draw without a beacon
_PLAYER: Final = "10023"  # whose bet the example has
Counted = Callable[[dict[str, Any], dict[str, Any]], dict[str, int]]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app's checks as one script, which assigns them to `app`."""
    folder = tmp_path_factory.mktemp("bundle")
    entry, script = folder / "entry.ts", folder / "app.js"
    sources = (WEBAPP / "src" / "features" / "fairness" / each for each in _SOURCES)
    entry.write_text("".join(f"export * from {json.dumps(str(each))};\n" for each in sources))
    rolldown = WEBAPP / "node_modules" / ".bin" / "rolldown"
    command: list[str | Path] = [
        rolldown,
        entry,
        "--format",
        "iife",
        "--name",
        "app",
        "--file",
        script,
    ]
    subprocess.run(command, check=True, cwd=WEBAPP, env=tool_environment(), capture_output=True)
    return script.read_text()


@pytest.fixture
def counted(phone: Page, bundle: str) -> Counted:
    """Returns how many vectors of each kind are right in Chromium."""
    phone.goto("")
    return partial(_count, phone, bundle)


def _count(
    phone: Page, bundle: str, vectors: dict[str, Any], proof: dict[str, Any]
) -> dict[str, int]:
    found: dict[str, int] = phone.evaluate(
        f"(given) => {{ {bundle}; return ({_COUNTED})(given); }}", [vectors, proof, _PLAYER]
    )
    return found


def _shared() -> tuple[dict[str, Any], dict[str, Any]]:
    """The vectors of the log, and the proof of a draw in the description of the API."""
    examples = json.loads(_EXAMPLES.read_text())
    return json.loads(log_vectors.FILE.read_text()), examples["/api/Lottery/proof"]["data"]


def test_all_vectors_are_right_in_chromium(counted: Counted) -> None:
    vectors, proof = _shared()
    expected = {name: len(vectors[name]) for name in ("leaves", "inclusion", "consistency")}
    expected |= {"notes": len(vectors["notes"]), "steps": _STEPS}
    assert counted(vectors, proof) == expected


def test_changed_vectors_are_wrong_in_chromium(counted: Counted) -> None:
    vectors, proof = _shared()
    vectors["roots"] = {size: _flipped(root) for size, root in vectors["roots"].items()}
    vectors["leaves"] = [it | {"leaf": _flipped(it["leaf"])} for it in vectors["leaves"]]
    # A tree continues itself, whatever its root.
    vectors["consistency"] = [it for it in vectors["consistency"] if it["old"] < it["new"]]
    proof["frozen"]["record"]["count"] += 1
    found = counted(vectors, proof)
    steps = found.pop("steps")
    assert set(found.values()) == {0}
    assert steps < _STEPS


def _flipped(text: str) -> str:
    return f"{int(text[0], 16) ^ 1:x}{text[1:]}"
