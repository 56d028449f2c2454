"""What is running: hashes of the rules and of the program, as a day's record names them."""

from hashlib import sha256
from pathlib import Path

from engine.catalogue import PLANS
from engine.fairness.canonical import canonical
from engine.games import SUMS_OF


def rules_hash() -> bytes:
    """SHA-256 over what a bet can be: the winning sums of each kind, and every hall's minimum."""
    kinds = {kind: list(sums) for kind, sums in SUMS_OF.items()}
    minima = {str(plan.id): plan.min_stake_minor for plan in PLANS.values()}
    return sha256(canonical({"kinds": kinds, "minima": minima})).digest()


def program_hash() -> bytes:
    """SHA-256 over the engine's source files, in the order of their paths."""
    root = Path(__file__).parents[1]
    digest = sha256()
    for path in sorted(root.rglob("*.py")):
        content = path.read_bytes()
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.digest()
