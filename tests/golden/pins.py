"""The pinned stored texts, and the check for deviations from them.

Each file has the exact stored text of its cases and the fields it must decode to.
`pinned.sha256` lists the hashes of the files. `python -m tests.golden.pins` pins samples that have
no file yet. It never rewrites a file: stored texts must stay readable permanently, so a changed
fact is a new topic with its own file.
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tests.golden.samples import CODERS, SAMPLES

FOLDER = Path(__file__).parent
LIST = "pinned.sha256"


def fields_of(value: Struct) -> Any:
    """A struct's fields by name, as plain JSON, however it is stored.

    A later field that is not stored while it has its default is not among them then.
    """
    fields = msgspec.structs.asdict(value)
    if value.__struct_config__.omit_defaults:
        for field in msgspec.structs.fields(value):
            if fields[field.name] == field.default:
                del fields[field.name]
    return json.loads(msgspec.json.encode(fields))


def problems(folder: Path = FOLDER) -> list[str]:
    """Every pinned file that is missing, changed, unknown, or not read or written as pinned."""
    listed = _listed(folder)
    there = {path.relative_to(folder).as_posix(): path for path in folder.glob("*/*.json")}
    expected = {f"{kind}/{name}.json" for kind, names in SAMPLES.items() for name in names}
    found = [f"{name} is not pinned" for name in sorted(expected - there.keys())]
    found += [f"{name} is gone" for name in sorted(listed.keys() - there.keys())]
    for name, path in sorted(there.items()):
        if listed.get(name) != sha256(path.read_bytes()).hexdigest():
            found.append(f"{name} is not as it was pinned")
        found += _misread(path.parent.name, json.loads(path.read_text()))
    return found


def _listed(folder: Path) -> dict[str, str]:
    lines = (folder / LIST).read_text().splitlines()
    return {name: digest for digest, name in (line.split("  ") for line in lines)}


def _misread(kind: str, pinned: dict[str, Any]) -> list[str]:
    name = pinned["name"]
    encode, decode = CODERS[kind]
    found = []
    for case in pinned["cases"]:
        state = case["stored"].encode()
        try:
            value = decode(name, state)
        except (KeyError, msgspec.MsgspecError) as error:
            found.append(f"{kind}/{name} cannot be read: {error!r}")
            continue
        if (type(value).__name__, fields_of(value)) != (case["type"], case["fields"]):
            found.append(f"{kind}/{name} is read as {value}")
        if encode(value) != state:
            found.append(f"{kind}/{name} is written as {encode(value)!r}")
    return found


def pin(folder: Path = FOLDER) -> list[str]:
    """Pin the samples that have no file yet. Returns the names of the new files."""
    fresh = []
    for kind, names in SAMPLES.items():
        for name, values in names.items():
            path = folder / kind / f"{name}.json"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                path.write_text(_content(kind, name, values))
                fresh.append(path)
    with (folder / LIST).open("a") as file:
        for path in fresh:
            digest = sha256(path.read_bytes()).hexdigest()
            file.write(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    return [path.name for path in fresh]


def _content(kind: str, name: str, values: list[Struct]) -> str:
    encode, _ = CODERS[kind]
    cases = [
        {
            "type": type(value).__name__,
            "stored": encode(value).decode(),
            "fields": fields_of(value),
        }
        for value in values
    ]
    return json.dumps({"name": name, "cases": cases}, indent=2) + "\n"


if __name__ == "__main__":
    print("\n".join(pin()))
