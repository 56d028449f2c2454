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
from tests.engine.fairness.test_known_answer import ANSWER

_SOURCES: Final = (
    "crypto/encoding.ts",
    "crypto/hashing.ts",
    "crypto/merkle.ts",
    "log/checkpoint.ts",
    "checkProof.ts",
    "drawDigits.ts",
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
#: Both links, the record over the bets' head, and the digits of the draw's known answer.
_DRAWN: Final = """async (answer) => {
  const { fromHex, hex, joined, utf8 } = app;
  const hashing = app.webHashing(crypto.subtle);
  const { game, day, i } = answer;
  const [operator, witness, frozen] = [answer.c_7, answer.w_7, answer.f].map(fromHex);
  const published = { operator, witness, frozen, beacon: new Uint8Array(33) };
  const links = { c_0: ["operator", operator], w_0: ["witness", witness] };
  const found = {};
  for (const [name, [role, link]] of Object.entries(links)) {
    found[name] = hex(await app.anchor(hashing, role, { game, day, i }, link));
  }
  const record = joined(utf8(answer.frozen_prefix_text), fromHex(answer.bets));
  found.f = hex(await hashing.sha256(record));
  found.digits = await app.digitsOf(hashing, { game, day, i }, published);
  return found;
}"""
_STEPS: Final = 6  # of a draw without a beacon
_PLAYER: Final = "10023"  # whose bet the example has
Counted = Callable[[dict[str, Any], dict[str, Any]], dict[str, int]]
Run = Callable[[str, object], Any]


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
def run(phone: Page, bundle: str) -> Run:
    """Runs a function of the app's checks in Chromium, on one argument."""
    phone.goto("")
    return partial(_run, phone, bundle)


def _run(phone: Page, bundle: str, function: str, given: object) -> Any:
    return phone.evaluate(f"(given) => {{ {bundle}; return ({function})(given); }}", given)


@pytest.fixture
def counted(run: Run) -> Counted:
    """Returns how many vectors of each kind are right in Chromium."""
    return lambda vectors, proof: run(_COUNTED, [vectors, proof, _PLAYER])


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


def test_the_known_answer_of_the_draw_is_found_in_chromium(run: Run) -> None:
    assert run(_DRAWN, ANSWER) == {name: ANSWER[name] for name in ("c_0", "w_0", "f", "digits")}


@pytest.mark.parametrize(("changed", "wrong"), [("c_7", "c_0"), ("w_7", "w_0"), ("bets", "f")])
def test_a_changed_known_answer_is_not_found_in_chromium(
    run: Run, changed: str, wrong: str
) -> None:
    found = run(_DRAWN, ANSWER | {changed: _flipped(ANSWER[changed])})
    assert found[wrong] != ANSWER[wrong]


def _flipped(text: str) -> str:
    return f"{int(text[0], 16) ^ 1:x}{text[1:]}"
