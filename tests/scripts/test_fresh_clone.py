"""In a fresh clone only the packages of the run lock are installed until the tests are set up."""

import asyncio
import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from scripts.devtools.console import SetupError
from scripts.devtools.paths import ROOT, SCRIPTS
from tests.instruments.load_tests import options as bench
from tests.instruments.load_tests import sse_load, web
from tests.instruments.load_tests.workers import NoFigureError
from tests.ports import reserved_port

# Each is started after `prepare_to_run` or `prepare_python`.
PROGRAMS = (
    *("api.app", "api.keys", "projections.__main__", "scripts.audit_tool.__main__"),
    *(
        "tests.instruments.load_tests.__main__",
        "tests.instruments.simulator.__main__",
        "scripts.office_cli.cli",
    ),
    *("scripts.reference_gateway.cli", "scripts.reference_desk.server"),
)
_IMPORT = """
import importlib, json, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

program, missing = sys.argv[1], set(json.loads(sys.argv[2]))
sys.meta_path.insert(0, Missing())
importlib.import_module(program)
"""
_SOURCE_LINE_FIRST = """\
file:///somewhere/webapp/tools/lighthouse/measure.mjs:31
    if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
                                ^

Error: The page stopped responding.
    at once (file:///somewhere/webapp/tools/lighthouse/measure.mjs:31:33)

Node.js v24.19.0
"""
_NO_LAUNCH = """\
/somewhere/node_modules/@puppeteer/browsers/lib/esm/launch.js:288
                reject(new Error([
                       ^

Error: Failed to launch the browser process:  Code: 127

stderr:
/usr/bin/chromium: error while loading shared libraries: libnss3.so: cannot open

TROUBLESHOOTING: https://pptr.dev/troubleshooting
"""


def _locked(name: str) -> set[str]:
    return set(re.findall(r"^([\w.-]+)==", (SCRIPTS / name).read_text(), re.MULTILINE))


def _modules_for_development() -> list[str]:
    packages = _locked("requirements-dev.lock") - _locked("requirements.lock")
    canonical = {name.lower().replace("_", "-") for name in packages}
    return [
        module
        for module, distributions in importlib.metadata.packages_distributions().items()
        if {name.lower().replace("_", "-") for name in distributions} <= canonical
    ]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_needs_no_development_package(program: str) -> None:
    modules = _modules_for_development()
    assert {"playwright", "pytest"} <= {*modules}
    run = subprocess.run(
        [sys.executable, "-c", _IMPORT, program, json.dumps(modules)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_the_bench_gives_the_error_and_not_the_source_line_that_raised_it() -> None:
    assert web.reason_in(_SOURCE_LINE_FIRST) == "The page stopped responding."


def test_the_bench_reports_why_a_browser_cannot_run() -> None:
    why = "/usr/bin/chromium: error while loading shared libraries: libnss3.so: cannot open"
    assert web.reason_in(_NO_LAUNCH) == f"Chromium cannot run here: {why}"


def test_output_without_an_error_is_given_by_its_last_line() -> None:
    assert web.reason_in("Killed\n") == "Killed"
    assert web.reason_in("") == "Lighthouse ended without output"


def test_the_bench_reports_in_one_sentence_that_there_is_no_browser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(web, "find_chromium", lambda: None)
    with pytest.raises(NoFigureError, match="no Chromium is installed"):
        web.browser()


def _has_no_browser() -> None:
    raise SetupError("A browser needs Chromium: apt-get install chromium as root")


def test_the_bench_leaves_the_web_out_where_no_browser_can_be_had(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "prepare_browser", _has_no_browser)
    options = bench._with_browser(bench.read_options(["writer", "web", "--quick"]))
    assert bench.read_options(options.arguments()) == bench.read_options(["writer", "--quick"])
    assert capsys.readouterr().out.startswith("web is left out. A browser needs Chromium")
    with pytest.raises(SystemExit, match=r"web cannot run\. A browser needs Chromium"):
        bench._with_browser(bench.read_options(["web"]))


def test_the_bench_leaves_pgledger_out_without_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = bench._with_ledger(bench.read_options(["writer", "pgledger", "--quick"]))
    assert options == bench.read_options(["writer", "--quick"])
    assert capsys.readouterr().out.startswith("pgledger is left out. pgledger's SQL is not part of")
    with pytest.raises(SystemExit, match=r"pgledger cannot run\. pgledger's SQL is not part of"):
        bench._with_ledger(bench.read_options(["pgledger"]))
    file = tmp_path / "pgledger.sql"
    file.touch()
    named = bench.read_options(["pgledger", "--pgledger", str(file)])
    assert bench._with_ledger(named) == named
    assert bench.read_options(named.arguments()) == named


def test_the_bench_refuses_a_file_of_pgledger_that_does_not_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        bench.read_options(["--pgledger", "missing.sql"])
    assert "'missing.sql' is not a file" in capsys.readouterr().err


def test_the_bench_reports_a_limit_of_open_files_that_is_too_low() -> None:
    program = (
        "import resource\n"
        "from tests.instruments.load_tests import streams, workers\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))\n"
        "streams.allow_open_files(200)\n"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE))\n"
        "try:\n"
        "    streams.allow_open_files(6_000)\n"
        "except workers.NoFigureError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    allowed, reason = run.stdout.splitlines()
    assert allowed == "200 200"
    assert reason.startswith("a process needs 6,000 open files, and its hard limit is 200 here")


def test_the_bench_reports_how_many_streams_could_not_be_opened() -> None:
    rooms = [(1, 1, "20261127001")]
    task = sse_load.SseLoadTask([reserved_port()], 3, rooms, ["token"], 1.0, 1.0, "stream", 0.1)
    result = asyncio.run(sse_load._load(task))
    received = msgspec.json.decode(msgspec.json.encode(result), type=sse_load.SseLoadResult)
    assert received.fault == "3 of 3 streams were not open in time"
