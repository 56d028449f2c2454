"""`scripts/texts` on a copy of the texts of all languages."""

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.devtools.paths import ROOT
from scripts.texts_tool import folders
from scripts.texts_tool.__main__ import main
from scripts.texts_tool.folders import Folders
from scripts.texts_tool.literal import SyntaxProblem, TextFile
from scripts.texts_tool.placeholders import PlaceholderProblem, placeholders_in

_FOLDERS = ("webapp/src/i18n", "api/messages")
_TRANSLATED = {
    "en": 'Paid "today"',
    "ja": "今日の金額" * 10,
    "ko": "오늘",
    "my": "Hari\u00a0ini",
    "ru": "Сегодня",
    "tw": "今天",
    "vi": "Hôm nay",
    "zh": "今天",
}
#: A new text in every language that there is.
_NEW = {
    language: _TRANSLATED.get(language, f"Today in {language}")
    for language in sorted(each.parent.name for each in ROOT.glob("api/messages/*/messages.json"))
}
Run = Callable[..., tuple[int | str | None, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in _FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


@pytest.fixture
def run(root: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command; returns its status, or the message with which it ends, and its output."""

    def run(*arguments: str | Path) -> tuple[int | str | None, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments], root)
        return ended.value.code, capsys.readouterr().out

    return run


def _contents(root: Path) -> dict[Path, bytes]:
    return {
        path.relative_to(root): path.read_bytes()
        for folder in _FOLDERS
        for path in (root / folder).rglob("*.*")
        if "__pycache__" not in path.parts
    }


def _changed(root: Path) -> set[Path]:
    return {path for path, content in _contents(root).items() if content != _original(path)}


def _original(path: Path) -> bytes:
    return (ROOT / path).read_bytes()


def _rows(sheet: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))


def _write(sheet: Path, rows: list[dict[str, str]]) -> None:
    with sheet.open("w", newline="") as output:
        writer = csv.DictWriter(output, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_a_sheet_has_every_text_of_all_languages_and_its_import_changes_no_byte(
    run: Run, root: Path
) -> None:
    sheet = root / "sheet.csv"
    assert run("export", "--out", sheet)[0] == 0
    found = {row["key"]: row for row in _rows(sheet)}
    assert found["webapp/common/kinds.big_odd"]["zh"] == "大单"
    assert found["api/messages/halls.2"]["en"] == "High-level hall"
    assert '"big_odd": "Big odd"' in (root / "api/messages/en/messages.json").read_text()
    assert run("import", sheet) == (0, "Nothing has changed.\n")
    assert _changed(root) == set()


def test_removed_texts_come_back_from_a_sheet_byte_for_byte(run: Run, root: Path) -> None:
    """Each second text of four files, among them the first, the last and the only one of groups."""
    sheet = root / "sheet.csv"
    run("export", "--out", sheet)
    files = ("api/messages/", "webapp/common/", "webapp/money/", "webapp/chat/")
    keys = [row["key"] for row in _rows(sheet) if row["key"].startswith(files)]
    gone = [key for key in keys if "halls" not in key][::2]
    assert run("remove", *gone)[0] == 0
    assert len(_changed(root)) == len(files) * len(_NEW)
    assert {row["key"] for row in _rows(sheet)} > set(gone)
    assert run("export", "--out", root / "fewer.csv")[0] == 0
    assert not {row["key"] for row in _rows(root / "fewer.csv")} & set(gone)
    assert run("import", sheet)[0] == 0
    assert _changed(root) == set()


def test_a_new_text_is_put_below_its_row_s_predecessor_in_all_languages(
    run: Run, root: Path
) -> None:
    sheet = root / "sheet.csv"
    run("export", "--out", sheet, "webapp/money/withdraw")
    rows = _rows(sheet)
    place = [row["key"] for row in rows].index("webapp/money/withdraw.onWay")
    rows.insert(place + 1, {"key": "webapp/money/withdraw.today", **_NEW})
    _write(sheet, rows)
    _, output = run("import", sheet)
    paths = {Path(f"webapp/src/i18n/{language}/money.ts") for language in _NEW}
    assert output.splitlines() == [f"Written: {path}" for path in sorted(paths)]
    assert _changed(root) == paths
    for language, text in _NEW.items():
        lines = (root / f"webapp/src/i18n/{language}/money.ts").read_text().splitlines()
        old = _original(Path(f"webapp/src/i18n/{language}/money.ts")).decode().splitlines()
        added = [line for line in lines if line not in old]
        assert [line for line in lines if line in old] == old
        assert language == "en" or text.replace("\u00a0", r"\u00a0") in added[-1]
        before, after = lines[: lines.index(added[0])], lines[lines.index(added[-1]) + 1 :]
        assert before + after == old
        assert before[-1].startswith("    onWay: ")
    # As the formatter has them: other quotes around quotes, a new line for a wide text.
    assert "    today: 'Paid \"today\"',\n" in (root / "webapp/src/i18n/en/money.ts").read_text()
    japanese = (root / "webapp/src/i18n/ja/money.ts").read_text()
    assert f'    today:\n      "{_NEW["ja"]}",\n' in japanese


def test_a_new_text_of_the_server_and_a_new_group_are_added(run: Run, root: Path) -> None:
    sheet = root / "sheet.csv"
    _write(
        sheet,
        [
            {"key": "api/messages/kinds.huge", **_NEW},
            {"key": "webapp/money/receipt.title", **_NEW},
            {"key": "webapp/money/receipt.text", **_NEW},
        ],
    )
    assert run("import", sheet)[0] == 0
    for language, text in _NEW.items():
        server = Folders(root).file(language, "api/messages")
        before = Folders(ROOT).file(language, "api/messages").names_in(("kinds",))
        assert server.names_in(("kinds",)) == (*before, "huge")
        assert server.texts["kinds", "huge"] == text
        app = Folders(root).file(language, "webapp/money")
        assert app.names_in(())[-1] == "receipt"
        assert app.names_in(("receipt",)) == ("title", "text")
    count = len(Folders(ROOT).texts("en")) + 3
    assert run("check") == (0, f"{count} texts in {len(_NEW)} languages\n")


def test_one_language_alone_can_be_corrected(run: Run, root: Path) -> None:
    sheet = root / "sheet.csv"
    _write(sheet, [{"key": "webapp/common/back", "ko": "뒤로 가기"}])
    assert run("import", sheet)[0] == 0
    assert _changed(root) == {Path("webapp/src/i18n/ko/common.ts")}


@pytest.mark.parametrize(
    ("key", "changes", "problem"),
    [
        (
            "webapp/common/back",
            {"none": "Retour"},
            f'line 1, column {len(_NEW) + 2}: there is no language "none"',
        ),
        ("webapp/nothing/back", {}, 'line 2, column key: no file "webapp/nothing"'),
        ("webapp/common/kinds", {}, "line 2, column key: webapp/common/kinds is an object"),
        ("webapp/common/back.x", {}, "line 2, column key: webapp/common/back is a text"),
        ("webapp/common/.x", {}, 'line 2, column key: "webapp/common/.x" has an empty name'),
        (
            "api/messages/halls.3",
            {},
            "line 2, column key: api/messages/en/messages.json has a list",
        ),
        ("webapp/common/back", {"zh": " "}, "line 2, column zh: the cell is empty"),
        ("webapp/common/back", {"zh": "{count"}, 'line 2, column zh: "}" is missing after {count'),
        ("webapp/common/back", {"zh": "count}"}, 'line 2, column zh: "}" has no "{"'),
        (
            "webapp/common/back",
            {"en": "{count}", "zh": "{cuont}"},
            "line 2, column zh: has {cuont}, but English has {count}",
        ),
        (
            "webapp/common/back",
            {"en": "{n, plural, one {#}}"},
            "line 2, column en: plural has no text for other",
        ),
        ("api/messages/kinds.big", {"ru": "{ }"}, 'line 2, column ru: "{" has to begin a name'),
    ],
)
def test_a_wrong_sheet_is_refused_by_line_and_column_and_nothing_is_written(
    run: Run, root: Path, key: str, changes: dict[str, str], problem: str
) -> None:
    sheet = root / "sheet.csv"
    right = {"key": "webapp/common/ok", **dict.fromkeys(_NEW, "OK!")}
    wrong = {"key": key, **_NEW, **changes}
    _write(sheet, [wrong, right | dict.fromkeys(wrong.keys() - right.keys(), "OK!")])
    message, _ = run("import", sheet)
    assert problem in str(message)
    assert str(message).endswith("Nothing was written.")
    assert _changed(root) == set()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", 'line 1, column 1: it has to be "key"'),
        ("text;en\n", 'line 1, column 1: it has to be "key"'),
        ("key,en,en\n", "line 1, column 3: a second column en"),
        ("key,en\nwebapp/common/ok,OK,more\n", "line 2: 3 cells, but the table has 2"),
        (
            "key,en\nwebapp/common/ok,{count}\n",
            "line 2, column ja: has no placeholder, but English has {count}",
        ),
        ("key,en\nwebapp/common/new,New\n", "line 2, column key: webapp/common/new is new in ja"),
        (
            "key,en\nwebapp/common/ok,OK\nwebapp/common/ok,Ok\n",
            "line 3, column key: webapp/common/ok is in line 2 already",
        ),
        ('key,en\nwebapp/common/ok,"OK', "line 2: this is not CSV"),
    ],
)
def test_a_malformed_table_is_refused(run: Run, root: Path, content: str, problem: str) -> None:
    (root / "sheet.csv").write_text(content)
    assert problem in str(run("import", root / "sheet.csv")[0])
    assert _changed(root) == set()


def test_missing_and_orphaned_texts_are_listed_and_exported(run: Run, root: Path) -> None:
    assert run("check")[0] == 0
    file = root / "webapp/src/i18n/ko/common.ts"
    file.write_text(file.read_text().replace("  back: ", "  beck: "))
    status, output = run("check")
    assert status == 1
    assert output.splitlines() == [
        "missing: webapp/common/back in ko",
        "orphaned: webapp/common/beck in ko is not in en: remove it, or add it",
    ]
    run("export", "--missing", "--out", root / "sheet.csv")
    missing = {row["key"]: row for row in _rows(root / "sheet.csv")}
    assert missing.keys() == {"webapp/common/back", "webapp/common/beck"}
    assert (missing["webapp/common/back"]["en"], missing["webapp/common/back"]["ko"]) == (
        "Back",
        "",
    )


def test_a_prefix_or_key_that_no_text_has_is_an_error(run: Run, root: Path) -> None:
    assert run("export", "webapp/commun")[0] == 1
    assert "there is no text webapp/common/bock" in str(run("remove", "webapp/common/bock")[0])
    assert _changed(root) == set()


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("export default {\n  a: `b`,\n};\n", "x.ts:2:6: expected a text in quotes"),
        ("export default {\n  a: b(),\n};\n", "x.ts:2:6: expected a text in quotes"),
        ('export default {\n  a: "b"\n  c: "d",\n};\n', 'x.ts:3:3: expected "," or "}"'),
        ('export default {\n  a "b",\n};\n', 'x.ts:2:5: expected ":" after the key a'),
        ('export default { a: "b", a: "c" };', "x.ts:1:26: expected another key than a"),
        ('export default { a: "\\q" };', "x.ts:1:22: expected an escape"),
        ("const a = {};\n", 'x.ts:1:1: expected imports of types, then "export default"'),
        ('export default { a: "b" };\nconst c = 1;\n', "x.ts:2:1: expected the end of the file"),
    ],
)
def test_a_file_with_more_than_texts_is_refused_by_line_and_column(
    source: str, problem: str
) -> None:
    with pytest.raises(SyntaxProblem) as raised:
        TextFile(Path("x.ts"), source)
    assert str(raised.value).startswith(problem)


def test_escapes_quotes_and_comments_are_read_as_javascript_reads_them() -> None:
    source = """// A comment.
import type { SameKeys } from "../sameKeys.ts";
export default {
  a: 'say "hi"', // said
  "b-c": "it\\u2019s \\u{1f600} \\ud83d\\ude00 \\\\n\\n",
  /* two
     lines */
  d: { 1: "one" },
} satisfies SameKeys<Texts>;
"""
    assert TextFile(Path("x.ts"), source).texts == {
        ("a",): 'say "hi"',
        ("b-c",): "it\u2019s 😀 😀 \\n\n",
        ("d", "1"): "one",
    }


_COMMENTED = """export default {
  // Of a, which is first.
  a: "A", // a, too
  // Of b.
  b: "B", /* b, too */
  /* Of c,
     which is last. */
  c: "C", // c, too
};
"""


@pytest.mark.parametrize(("key", "kept"), [("a", ("b", "c")), ("b", ("a", "c")), ("c", ("a", "b"))])
def test_a_text_is_removed_with_its_own_comments_and_no_others(
    key: str, kept: tuple[str, str]
) -> None:
    left = TextFile(Path("x.ts"), _COMMENTED).without((key,))
    assert left.names_in(()) == kept
    for each in ("a", "b", "c"):
        comments = (f"Of {each}", f"{each}, too")
        assert [comment in left.source for comment in comments] == [each in kept] * 2


@pytest.mark.parametrize("key", ["a", "b"])
def test_a_text_of_a_list_of_one_line_is_removed_without_a_trace(key: str) -> None:
    source = '{"all": {"a": "A", "b": "B"}}\n'
    left = TextFile(Path("x.json"), source).without(("all", key)).source
    assert left == source.replace(', "b": "B"' if key == "b" else '"a": "A", ', "")


def test_texts_that_the_formatter_refuses_are_a_message_and_nothing_is_written(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    formatter = root / "formatter.cjs"
    formatter.write_text("console.error('cannot format this'); process.exit(1);")
    monkeypatch.setattr(folders, "_BIOME", formatter)
    message, _ = run("remove", "webapp/common/back")
    assert "webapp/src/i18n/en/common.ts" in str(message)
    assert "cannot format this" in str(message)
    assert str(message).endswith("Nothing was written.")
    assert _changed(root) == set()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{n, plural, offset:1 =0 {none} one {# of {all}} other {#}}", {"n", "all"}),
        ("{n, selectordinal,offset: 2 other {#}}", {"n"}),
        ("no placeholder, it's plain", set()),
        ("{a} and {b, number} '{not}' one", {"a", "b"}),
        ("{n, plural, =0 {none} one {# of {all, number}} other {#}} ", {"n", "all"}),
    ],
)
def test_the_placeholders_of_a_message_are_its_names(text: str, names: set[str]) -> None:
    assert placeholders_in(text, is_icu=True) == names


@pytest.mark.parametrize(
    "text",
    [
        *("{n, plurel, other {x}}", "{n, plural other {x}}", "{a b}", "{}"),
        *("{n, select, offset:1 other {x}}", "{n, plural, offset: other {x}}"),
    ],
)
def test_a_malformed_message_is_refused(text: str) -> None:
    with pytest.raises(PlaceholderProblem):
        placeholders_in(text, is_icu=True)


def test_the_server_s_placeholders_are_names_only() -> None:
    assert placeholders_in("it's {least}", is_icu=False) == {"least"}
    with pytest.raises(PlaceholderProblem):
        placeholders_in("{least, number}", is_icu=False)
