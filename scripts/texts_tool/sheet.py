"""The sheet: a CSV table with a row for each text and a column for each language."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from scripts.texts_tool.folders import FIRST, Changed, Folders, TextKey
from scripts.texts_tool.placeholders import PlaceholderProblem, placeholders_in

KEY: Final = "key"
#: Spreadsheets recognise UTF-8 by it.
_MARK: Final = "\ufeff"


class SheetProblem(Exception):  # noqa: N818 - a translator reads it as a problem of the sheet
    """The sheet cannot be used; the message has a line for each problem."""


@dataclass(frozen=True)
class Row:
    """A text in the sheet's languages; `line` is where it begins."""

    line: int
    key: TextKey
    texts: Mapping[str, str]


def exported(folders: Folders, prefix: str, *, only_missing: bool) -> str:
    """Returns the sheet of the keys that begin with `prefix`; a missing text is empty.

    With `only_missing`, of those that some language lacks.
    """
    everything = {language: folders.texts(language) for language in folders.languages}
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\r\n")
    writer.writerow((KEY, *folders.languages))
    for key in all_keys(everything):
        texts = [everything[language].get(key, "") for language in folders.languages]
        if str(key).startswith(prefix) and not (only_missing and all(texts)):
            writer.writerow((str(key), *texts))
    return _MARK + output.getvalue()


def all_keys(everything: Mapping[str, Mapping[TextKey, str]]) -> tuple[TextKey, ...]:
    """All keys in the order of English; those that English lacks are last."""
    keys = dict.fromkeys(everything[FIRST])
    for texts in everything.values():
        keys.update(dict.fromkeys(texts))
    return tuple(keys)


def read_rows(content: str, folders: Folders) -> list[Row]:
    """Returns the rows of a sheet. Raises SheetProblem with every problem that it has."""
    reader = csv.reader(io.StringIO(content.removeprefix(_MARK), newline=""), strict=True)
    try:
        head = next(reader, [])
        languages = _languages(head, folders)
        rows, problems, line = list[Row](), list[str](), reader.line_num + 1
        for cells in reader:
            if any(cells):
                row, wrong = _row(line, cells, languages, folders)
                rows.append(row)
                problems += wrong
            line = reader.line_num + 1
    except csv.Error as error:
        raise SheetProblem(f"line {reader.line_num}: this is not CSV: {error}") from error
    problems += _repeated(rows)
    if problems:
        raise SheetProblem("\n".join(problems))
    return rows


def _languages(head: list[str], folders: Folders) -> list[str]:
    if head[:1] != [KEY]:
        raise SheetProblem(f'line 1, column 1: it has to be "{KEY}", with commas between columns')
    known = ", ".join(folders.languages)
    for number, name in enumerate(head[1:], 2):
        if name not in folders.languages:
            raise SheetProblem(
                f'line 1, column {number}: there is no language "{name}"; the languages are {known}'
            )
        if name in head[1 : number - 1]:
            raise SheetProblem(f"line 1, column {number}: a second column {name}; remove one")
    return head[1:]


def _row(
    line: int, cells: list[str], languages: list[str], folders: Folders
) -> tuple[Row, list[str]]:
    """Returns a row and its problems."""
    key = TextKey.read(cells[0])
    texts = dict(zip(languages, cells[1:], strict=False))
    row = Row(line, key, texts)
    if len(cells) != len(languages) + 1:
        return row, [f"line {line}: {len(cells)} cells, but the table has {len(languages) + 1}"]
    if key.file not in folders.files:
        files = ", ".join(folders.files)
        return row, [f'line {line}, column {KEY}: no file "{key.file}"; the files are {files}']
    problems = [*_misplaced(row, folders), *_absent(row, folders)]
    return row, [*(f"line {line}, column {column}: {what}" for column, what in problems)]


def _misplaced(row: Row, folders: Folders) -> Iterator[tuple[str, str]]:
    """What is wrong with the key of a row."""
    key = row.key.key
    if not all(key):
        yield KEY, f'"{row.key}" has an empty name'
    for language in folders.languages:
        file = folders.file(language, row.key.file)
        if file.is_list(key[:-1]) and key not in file.texts:
            yield KEY, f"{file.path} has a list there: add {row.key} to it by hand in each language"
            return
        if file.names_in(key):
            yield KEY, f"{row.key} is an object in {file.path}: give the key of a text in it"
            return
        for depth in range(1, len(key)):
            if key[:depth] in file.texts:
                above = TextKey(row.key.file, key[:depth])
                yield KEY, f"{above} is a text in {file.path}: it cannot have {key[depth]} in it"
                return


def _absent(row: Row, folders: Folders) -> Iterator[tuple[str, str]]:
    """What is wrong with the texts of a row."""
    kept = dict[str, str]()
    for language in folders.languages:
        text = folders.file(language, row.key.file).texts.get(row.key.key)
        if language not in row.texts and text is None:
            yield KEY, f"{row.key} is new in {language}: the sheet needs a column {language}"
        kept |= {} if text is None else {language: text}
    yield from text_problems(row.key, {**kept, **row.texts})


def text_problems(key: TextKey, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields each problem of a text's translations: its language, and what is wrong."""
    english = texts.get(FIRST, "")
    expected: frozenset[str] | None = None
    try:
        expected = placeholders_in(english, is_icu=key.is_icu)
    except PlaceholderProblem as problem:
        yield FIRST, str(problem)
    for language, text in texts.items():
        if not text.strip():
            yield language, "the cell is empty: give the text in this language"
            continue
        if expected is None or language == FIRST:
            continue
        try:
            found = placeholders_in(text, is_icu=key.is_icu)
        except PlaceholderProblem as problem:
            yield language, str(problem)
            continue
        if found != expected:
            yield language, f"has {_braced(found)}, but English has {_braced(expected)}"


def _braced(names: frozenset[str]) -> str:
    return " ".join(f"{{{name}}}" for name in sorted(names)) or "no placeholder"


def _repeated(rows: list[Row]) -> Iterator[str]:
    first = dict[TextKey, int]()
    for row in rows:
        if row.key in first:
            yield f"line {row.line}, column {KEY}: {row.key} is in line {first[row.key]} already"
        first.setdefault(row.key, row.line)


def merged(rows: list[Row], folders: Folders) -> Changed:
    """Returns the files of the rows' languages with their texts.

    A new key follows the row before it in the English file, and English in the others.
    """
    changed = Changed()
    languages = [each for each in folders.languages if rows and each in rows[0].texts]
    for language in languages:
        for row in rows:
            which = language, row.key.file
            file = changed.get(which) or folders.file(*which)
            english = changed.get((FIRST, row.key.file)) or folders.file(FIRST, row.key.file)
            key = row.key.key
            for depth in range(len(key)):
                order = english.names_in(key[:depth])
                if key[depth] not in order:
                    order = _names(rows, row.key.file, key[:depth])
                if depth < len(key) - 1:
                    file = file.with_group(key[: depth + 1], order)
                else:
                    file = file.with_text(key, row.texts[language], order)
            changed[which] = file
    return changed


def removed(keys: list[TextKey], folders: Folders) -> Changed:
    """Returns the files of all languages without these texts."""
    changed = Changed()
    for language in folders.languages:
        for key in keys:
            file = changed.get((language, key.file)) or folders.file(language, key.file)
            changed[language, key.file] = file.without(key.key)
    return changed


def _names(rows: list[Row], file: str, above: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names of an object in the order of the sheet."""
    depth = len(above)
    return tuple(
        dict.fromkeys(
            row.key.key[depth]
            for row in rows
            if row.key.file == file and len(row.key.key) > depth and row.key.key[:depth] == above
        )
    )
