"""The files of texts of all languages, and the keys that name their texts in a sheet.

A text's key is its file without the language, a slash, and the names down to it with dots:
`webapp/money/withdraw.onWay` is `onWay` in `withdraw` in `webapp/src/i18n/*/money.ts`, and
`api/messages/kinds.big` is in `api/messages/*/messages.json`.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.devtools.paths import VENV_BIN, WEBAPP, tool_environment
from scripts.texts_tool.literal import Key, TextFile

FIRST: Final = "en"
"""The language whose files define keys and their order."""
_APP: Final = Path("webapp/src/i18n")
_SERVER: Final = Path("api/messages")
_MESSAGES: Final = "api/messages"
_APP_PREFIX: Final = "webapp/"
#: Modules in the app's folders that combine texts, or list some.
_NOT_TEXTS: Final = frozenset({"coreTexts.ts", "pageTexts.ts", "promises.ts", "sameAsEnglish.ts"})
_BIOME: Final = WEBAPP / "node_modules" / "@biomejs" / "biome" / "bin" / "biome"


class FormatProblem(Exception):  # noqa: N818 - a user reads it as a problem of a file
    """The app's formatter refused a file; the message has the file and what it said."""


@dataclass(frozen=True)
class TextKey:
    """A text in all languages: its file as a sheet names it, and its key in the file."""

    file: str
    key: Key

    def __str__(self) -> str:
        return f"{self.file}/{'.'.join(self.key)}"

    @classmethod
    def read(cls, typed: str) -> "TextKey":
        """Returns the key that a sheet has; its file need not exist."""
        file, _, names = typed.rpartition("/")
        return cls(file, tuple(names.split(".")))

    @property
    def is_icu(self) -> bool:
        """Whether the text is an ICU message, as those of the web app are."""
        return self.file != _MESSAGES


#: Files by language and name.
Changed = dict[tuple[str, str], TextFile]


class Folders:
    """The text files under a checkout's root."""

    def __init__(self, root: Path) -> None:
        """Reads all files. Raises SyntaxProblem if one has something else than texts."""
        self._root = root
        languages = sorted(each.parent.name for each in root.glob(f"{_SERVER}/*/messages.json"))
        self.languages = (FIRST, *(each for each in languages if each != FIRST))
        modules = sorted(each.name for each in (root / _APP / FIRST).glob("*.ts"))
        self.files = (
            _MESSAGES,
            *(_APP_PREFIX + each.removesuffix(".ts") for each in modules if each not in _NOT_TEXTS),
        )
        self._read = {
            (language, file): self._open(language, file)
            for language in self.languages
            for file in self.files
        }

    def file(self, language: str, name: str) -> TextFile:
        """Returns a file of a language by its name in a sheet."""
        return self._read[language, name]

    def texts(self, language: str) -> dict[TextKey, str]:
        """All texts of a language, in the order of the files."""
        return {
            TextKey(name, key): text
            for name in self.files
            for key, text in self.file(language, name).texts.items()
        }

    def path(self, language: str, name: str) -> Path:
        """Returns the path of a file, relative to the root."""
        if name == _MESSAGES:
            return _SERVER / language / "messages.json"
        return _APP / language / f"{name.removeprefix(_APP_PREFIX)}.ts"

    def write(self, changed: Changed) -> list[Path]:
        """Write the files whose content differs, formatted; returns their paths."""
        contents = {
            self.path(*which): _formatted(file)
            for which, file in changed.items()
            if file.source != self._read[which].source
        }
        for path, content in contents.items():
            (self._root / path).write_text(content, encoding="utf-8", newline="")
        return sorted(contents)

    def _open(self, language: str, name: str) -> TextFile:
        path = self.path(language, name)
        return TextFile(path, (self._root / path).read_text(encoding="utf-8"))


def _formatted(file: TextFile) -> str:
    """Returns a module as the app's formatter has it; JSON as it is.

    Raises FormatProblem if the formatter refuses it or fails.
    """
    if file.path.suffix != ".ts":
        return file.source
    where = file.path.relative_to("webapp")
    done = subprocess.run(
        [VENV_BIN / "node", _BIOME, "format", f"--stdin-file-path={where}"],
        cwd=WEBAPP,
        env=tool_environment(),
        input=file.source,
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode != 0:
        raise FormatProblem(f"{file.path} cannot be formatted: {done.stderr.strip()}")
    return done.stdout
