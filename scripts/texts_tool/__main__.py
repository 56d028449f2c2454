"""The command line of `scripts/texts`."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from scripts.devtools.paths import ROOT
from scripts.texts_tool.folders import FIRST, Changed, Folders, FormatProblem, TextKey
from scripts.texts_tool.literal import SyntaxProblem
from scripts.texts_tool.sheet import (
    SheetProblem,
    all_keys,
    exported,
    merged,
    read_rows,
    removed,
    text_problems,
)

_EPILOGUE: Final = """\
A new text, written once in one sheet:
  scripts/texts export --out sheet.csv webapp/money/withdraw
  add a row below the text that it follows: its key, then the text in each language
  scripts/texts import sheet.csv

What translators get, and what they send back:
  scripts/texts export --missing --out sheet.csv
  scripts/texts import sheet.csv

A text that nothing shows any more:
  scripts/texts remove webapp/money/withdraw.left

A key is the file without its language, a slash, and the names down to the text with dots:
webapp/money/withdraw.onWay (webapp/src/i18n/*/money.ts), api/messages/kinds.big
(api/messages/*/messages.json). A sheet may have some rows only, and some languages only if the
others have its texts already. A text of the web app that is the same as in English also
needs a line in that language's webapp/src/i18n/*/sameAsEnglish.ts (a new file, if it has none).

exit status: 0 success, 1 the sheet or the texts have problems, 2 usage error
"""


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> NoReturn:
    """Run the command line, and exit with its status."""
    typed = _parser().parse_args(arguments)
    try:
        sys.exit(_run(typed, Folders(root)))
    except (SheetProblem, SyntaxProblem, FormatProblem, OSError, UnicodeDecodeError) as problem:
        sys.exit(f"{problem}\nNothing was written.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/texts",
        description="The texts of the server and the web app in all languages, as one CSV sheet.",
        epilog=_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    export = commands.add_parser("export", help="write a sheet with a column for each language")
    export.add_argument("prefix", nargs="?", default="", metavar="KEY-PREFIX", help="its keys only")
    export.add_argument("--out", type=Path, metavar="FILE", help="instead of standard output")
    export.add_argument("--missing", action="store_true", help="texts that a language lacks only")
    put = commands.add_parser(
        "import", help="write a sheet's texts into the files of all languages"
    )
    put.add_argument("sheet", type=Path, help="a CSV file in UTF-8")
    remove = commands.add_parser("remove", help="remove texts from the files of all languages")
    remove.add_argument("keys", nargs="+", metavar="KEY", type=TextKey.read)
    commands.add_parser("check", help="list missing, orphaned and malformed texts")
    return parser


def _run(typed: argparse.Namespace, folders: Folders) -> int:
    if typed.command == "export":
        return _export(folders, typed.prefix, typed.out, only_missing=typed.missing)
    if typed.command == "import":
        return _import(folders, typed.sheet)
    if typed.command == "remove":
        return _remove(folders, typed.keys)
    problems = [*_problems(folders)]
    summary = f"{len(folders.texts(FIRST))} texts in {len(folders.languages)} languages"
    print("\n".join(problems) or summary)
    return 1 if problems else 0


def _export(folders: Folders, prefix: str, out: Path | None, *, only_missing: bool) -> int:
    content = exported(folders, prefix, only_missing=only_missing).encode()
    rows = content.count(b"\r\n") - 1
    if not rows and not only_missing:
        print(f'No key begins with "{prefix}".', file=sys.stderr)
        return 1
    if out is None:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        out.write_bytes(content)
        print(f"Written: {out}, {rows} texts")
    return 0


def _import(folders: Folders, sheet: Path) -> int:
    rows = read_rows(sheet.read_bytes().decode(), folders)
    return _write(folders, merged(rows, folders))


def _remove(folders: Folders, keys: list[TextKey]) -> int:
    known = {key for language in folders.languages for key in folders.texts(language)}
    if unknown := [key for key in keys if key not in known]:
        raise SheetProblem("\n".join(f"there is no text {key}" for key in unknown))
    return _write(folders, removed(keys, folders))


def _write(folders: Folders, changed: Changed) -> int:
    written = folders.write(changed)
    print("\n".join(f"Written: {path}" for path in written) or "Nothing has changed.")
    return 0


def _problems(folders: Folders) -> Iterator[str]:
    everything = {language: folders.texts(language) for language in folders.languages}
    for key in all_keys(everything):
        texts = {language: found[key] for language, found in everything.items() if key in found}
        if FIRST not in texts:
            yield f"orphaned: {key} in {', '.join(texts)} is not in {FIRST}: remove it, or add it"
            continue
        for language in folders.languages:
            if language not in texts:
                yield f"missing: {key} in {language}"
        for language, what in text_problems(key, texts):
            yield f"malformed: {key} in {language}: {what}"


if __name__ == "__main__":
    main()
