"""The command line `scripts/office content`."""

import json
from pathlib import Path

import pytest

from scripts.office_cli import cli
from tests.api.support import ApiServer, Player
from tests.api.test_office_program import output_of
from tests.api.writing import config, detail, texts


@pytest.fixture
def words(tmp_path: Path) -> str:
    """A file of texts for the command line."""
    file = tmp_path / "texts.json"
    body = texts("From a \u001b[31mfile", "<p>words</p>", zh=("文件", "<p>文字</p>"))
    file.write_text(json.dumps(body), "utf-8")
    return str(file)


def test_an_article_is_published_changed_listed_and_withdrawn(house: ApiServer, words: str) -> None:
    output = output_of(house, "content save --kind article --tab wealth --top --as ann", words)
    article = output.split(":")[0]
    assert output.startswith(f"{article}: shown (article, to all players); stored as ")
    house.catch_up()
    shown = detail(house, article, "zh")["data"]
    assert (shown["title"], shown["tab"], shown["top"]) == ("文件", "wealth", True)

    output_of(house, f"content save --kind article --tab original --id {article} --as ben", words)
    house.catch_up()
    assert detail(house, article)["data"]["tab"] == "original"

    titles, first, *_ = output_of(house, "content list --kind article --as ann").splitlines()
    assert titles.split()[0] == "published"
    assert all(each in first for each in (article, "(original)", "all players", "shown", "ben"))
    assert first.endswith("From a [31mfile")

    assert "withdrawn" in output_of(house, f"content withdraw {article} --erase --as ann")
    house.catch_up()
    assert detail(house, article)["reason"] == "article_unknown"
    assert "withdrawn" in output_of(house, "--as ann content list").splitlines()[1]


def test_a_banner_and_a_message_to_one_member(house: ApiServer, player: Player, words: str) -> None:
    banner = "--kind banner --image /vip/banners/draw.svg --link /vip/moreNews"
    output_of(house, f"content save {banner} --as ann", words)
    house.catch_up()
    assert config(house)["banner"][0]["link"] == "/vip/moreNews"
    output = output_of(
        house, f"content save --kind message --player {player.username} --as ann", words
    )
    assert f"to player {player.id}" in output
    house.catch_up()
    message = player.call("user/messages", {})["data"]["messages"][0]
    assert message["id"] == output.split(":")[0]


@pytest.mark.parametrize(
    ("typed", "missing"),
    [
        ("--kind message", "--player or --everybody"),
        ("--kind article --player player01", "--kind message"),
        ("--kind banner --everybody", "--kind message"),
    ],
)
def test_a_message_needs_an_addressee(
    words: str, typed: str, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an explicit addressee a forgotten player option would reach every player."""
    with pytest.raises(SystemExit):
        cli.read(["content", "save", words, *typed.split(), "--as", "ann"])
    assert missing in capsys.readouterr().err


def test_a_message_to_all_players_is_marked_so(house: ApiServer, words: str) -> None:
    output = output_of(house, "content save --kind message --everybody --as ann", words)
    assert "to all players" in output
    output_of(house, f"content withdraw {output.split(':')[0]} --as ann")


@pytest.mark.parametrize("content", [None, "{", "\ud800"])
def test_a_file_that_holds_no_texts_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None
) -> None:
    file = tmp_path / "texts.json"
    if content is not None:
        file.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(SystemExit):
        cli.read(["content", "save", str(file), "--kind", "article", "--as", "ann"])
    assert str(file) in capsys.readouterr().err
