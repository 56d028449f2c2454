"""scripts/deploy: units, image, proxies, alerts and the guide fit the server and each other."""

import configparser
import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from api import app
from api.settings import StreamLimits, read
from scripts.devtools import start
from tests.scripts.deploy_files import ALERTS, DEPLOY, GUIDE, ROOT, Alert, alerts, headings
from tests.scripts.installed import needs, output_of

_INSTALLED = "/opt/fairdraw/current"
_UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
_BY_NAME = {alert.alert: alert for alert in alerts()}
# The rows of the table: | `metric` | when |
_THRESHOLDS = dict(
    re.findall(
        r"^\| `(fairdraw_\w+)` \| ([^|]+?) \|$",
        (ROOT / "api" / "README.md").read_text(),
        re.MULTILINE,
    )
)


class _Unit(configparser.RawConfigParser):
    """A unit's settings; of one that is given twice the last."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, delimiters=("=",), comment_prefixes=("#",))
        self.read(path)

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def _seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def test_the_server_has_time_to_stop_before_systemd_kills_it() -> None:
    unit = _Unit(DEPLOY / "systemd" / "fairdraw.service")["Service"]
    longest = app._SHUTDOWN_TIMEOUT_S + app._POSTGRES_SHUTDOWN_TIMEOUT_S
    assert _seconds(unit["TimeoutStopSec"]) > longest * app._MAX_LOAD_FACTOR
    assert unit["KillMode"] == "mixed"  # the server stops its children itself


def test_the_server_may_open_a_descriptor_for_every_stream() -> None:
    unit = _Unit(DEPLOY / "systemd" / "fairdraw.service")["Service"]
    assert int(unit["LimitNOFILE"]) > 2 * StreamLimits().in_all


@pytest.mark.parametrize("path", _UNITS, ids=lambda path: path.name)
def test_a_unit_runs_as_its_own_user_and_starts_what_exists(path: Path) -> None:
    unit = _Unit(path)["Service"]
    assert unit["User"] not in {"", "root"}
    assert unit["NoNewPrivileges"] == "yes"
    program, *arguments = unit["ExecStart"].split()
    if arguments[:1] == ["-m"]:
        module = ROOT / arguments[1].replace(".", "/")
        assert module.with_suffix(".py").exists() or (module / "__main__.py").exists()
    else:
        assert program.startswith(f"{_INSTALLED}/scripts/")


@needs("systemd-analyze", "systemd")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for path in (DEPLOY / "systemd").iterdir():
        # The program is not installed here; every line but its path is verified as it is.
        text = re.sub(rf"={_INSTALLED}/\S+", "=/bin/true", path.read_text())
        text = text.replace(f"WorkingDirectory={_INSTALLED}", "WorkingDirectory=/")
        (tmp_path / path.name).write_text(text)
    units = sorted(path for path in tmp_path.iterdir() if path.suffix != ".env")
    found = output_of("systemd-analyze", "verify", "--man=no", *units)
    ours = [line for line in found.splitlines() if "fairdraw" in line]
    assert ours == []


def _settings_in(text: str) -> Mapping[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if re.match(r"[A-Z_\d]+=.", line))


def test_the_example_settings_are_accepted() -> None:
    example = (DEPLOY / "systemd" / "fairdraw.env").read_text()
    assert read(["--no-demo"], _settings_in(example)).operator.name == "Example Ltd"
    every = _settings_in(re.sub(r"^#(?=[A-Z_]+=)", "", example, flags=re.MULTILINE))
    settings = read(["--no-demo"], every)
    assert settings.witness is not None
    assert len(settings.cosigners) == 1
    assert settings.database_url


def test_set_up_prepares_the_server_and_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[str] = []
    monkeypatch.setattr(start, "prepare_to_run", lambda: prepared.append("server and app"))
    monkeypatch.setattr("os.execve", lambda *_: pytest.fail("a program was started"))
    monkeypatch.setattr("sys.argv", ["run", "--set-up"])
    with pytest.raises(SystemExit) as ended:
        start.main()
    assert ended.value.code == 0
    assert prepared == ["server and app"]


def test_every_file_that_the_image_copies_exists() -> None:
    lines = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ").splitlines()
    copied = [line.split()[1:] for line in lines if line.startswith("COPY ")]
    sources = [source for one in copied if not one[0].startswith("--from") for source in one[:-1]]
    assert {"engine", "webapp", "pyproject.toml"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [stage[0] for stage in copied if stage[0].startswith("--from")] == ["--from=build"]


def test_the_image_runs_without_root_and_checks_that_it_lives() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert re.findall(r"^USER (\w+)$", text, re.MULTILINE) == ["fairdraw"]
    (check,) = re.findall(r"^HEALTHCHECK .*\\\n(.*)$", text, re.MULTILINE)
    assert "/healthz" in check
    assert re.search(r"--stop-timeout (\d+)", text)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with house.pem and house.key; all.pem has both."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "line1.house.example")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    folder = tmp_path_factory.mktemp("certs")
    for file, content in (("house.pem", made), ("house.key", secret), ("all.pem", made + secret)):
        (folder / file).write_bytes(content)
    return folder


@needs("haproxy", "haproxy")
def test_haproxy_accepts_its_configuration(certificate: Path, tmp_path: Path) -> None:
    text = (DEPLOY / "proxy" / "haproxy.cfg").read_text()
    file = tmp_path / "haproxy.cfg"
    file.write_text(text.replace("/etc/haproxy/certs/", f"{certificate / 'all.pem'}"))
    assert "WARNING" not in output_of("haproxy", "-c", "-f", file)


@needs("nginx", "nginx")
def test_nginx_accepts_its_configuration(certificate: Path, tmp_path: Path) -> None:
    text = (DEPLOY / "proxy" / "nginx.conf").read_text()
    text = text.replace("/etc/nginx/certs", str(certificate))
    text = text.replace("/run/nginx.pid", str(tmp_path / "pid"))
    text = text.replace("/var/log/nginx", str(tmp_path))
    (tmp_path / "nginx.conf").write_text(text)
    output_of("nginx", "-t", "-c", tmp_path / "nginx.conf")


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert.alert)
def test_an_alert_says_what_to_do_and_has_a_section_of_the_guide(alert: Alert) -> None:
    page, _, anchor = alert.annotations["guide"].partition("#")
    assert ROOT / page == GUIDE
    assert anchor in headings()
    assert anchor == alert.alert.lower()
    assert alert.annotations["summary"].endswith(".")
    assert alert.annotations["action"].endswith(".")
    assert alert.labels["severity"] in {"critical", "warning"}


def test_every_section_about_an_alert_has_its_alert() -> None:
    _, sections = GUIDE.read_text().split("\n## Alerts\n")
    assert re.findall(r"^### (\w+)$", sections, re.MULTILINE) == list(_BY_NAME)


def test_an_alert_has_a_test_of_its_own() -> None:
    tested = (ALERTS.parent / "alerts_test.yml").read_text()
    assert set(re.findall(r'alertname="(\w+)"', tested)) == set(_BY_NAME)


def _condition(metric: str, when: str) -> str:
    """The expression that api/README.md describes."""
    if when.startswith("rises"):
        return f"increase({metric}[5m]) > 0"
    if found := re.match(r"above (\d+) or below -\1$", when):
        return f"abs({metric}) > {found[1]}"
    if found := re.match(r"above (\d+)", when):
        return f"{metric} > {found[1]}"
    found = re.match(r"([01])\b", when)
    assert found, when
    return f"{metric} == {found[1]}"


@pytest.mark.parametrize("metric", _THRESHOLDS)
def test_every_threshold_of_the_settings_page_has_its_alert(metric: str) -> None:
    when = _THRESHOLDS[metric]
    expected = _condition(metric, when)
    if "on every machine" in when:
        expected = f"{expected.replace(metric, f'max({metric})')} or absent({metric})"
    assert expected in {alert.expr for alert in alerts()}


def test_the_table_of_thresholds_was_found() -> None:
    assert len(_THRESHOLDS) > 10


@needs("promtool", "prometheus")
def test_the_alerts_pass_their_unit_tests() -> None:
    output_of("promtool", "check", "rules", ALERTS)
    assert "SUCCESS" in output_of(
        "promtool", "test", "rules", "alerts_test.yml", folder=ALERTS.parent
    )


@needs("promtool", "prometheus")
def test_prometheus_accepts_its_configuration(tmp_path: Path) -> None:
    for path in ALERTS.parent.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "token").write_text("x" * 16)
    file = tmp_path / "prometheus.yml"
    file.write_text(file.read_text().replace("/etc/prometheus/fairdraw.token", "token"))
    output_of("promtool", "check", "config", file)
