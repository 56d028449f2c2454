"""News, banners and announcements: what staff publish and what all players are shown."""

from hashlib import sha256
from typing import Any

import psycopg
import pytest

from api.content import seed_content
from api.http.localization import TRANSLATED
from engine.facts import HOUSE_STREAM, TOPICS, decode
from engine.house.published_content import ContentFact, ContentPublished, ContentWithdrawn
from tests.api.staffing import office
from tests.api.support import ApiServer, new_key
from tests.api.writing import article, banner, config, detail, news, save, texts, withdraw


def facts(house: ApiServer, content: str) -> list[ContentFact]:
    """The facts in the log about this content."""
    topics = [TOPICS[ContentPublished], TOPICS[ContentWithdrawn]]
    with psycopg.connect(house.conninfos.app) as connection:
        rows = connection.execute(
            "SELECT topic, state FROM log.facts WHERE originator_id = %s AND topic = ANY(%s)"
            " ORDER BY notification_id",
            (HOUSE_STREAM, topics),
        ).fetchall()
    found = [decode(topic, state) for topic, state in rows]
    published = [each for each in found if isinstance(each, ContentPublished | ContentWithdrawn)]
    return [each for each in published if each.content == content]


def body_of(house: ApiServer, digest: str) -> bytes | None:
    """The stored body for a digest."""
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute(
            "SELECT body FROM content.texts WHERE digest = %s", (digest,)
        ).fetchone()
    return row[0] if row else None


def heads(house: ApiServer) -> list[str]:
    return [each["id"] for each in news(house)["articles"]]


def test_an_article_is_in_the_news_its_tab_and_its_page(house: ApiServer) -> None:
    stored = save(house, **article(tab="wealth", texts=texts("Odds", "<p>What they mean</p>")))
    shown = detail(house, stored["id"])["data"]
    assert (shown["title"], shown["content"]) == ("Odds", "<p>What they mean</p>")
    assert (shown["tab"], shown["top"], shown["createtime"]) == (
        *("wealth", False),
        house.clock() // 1_000_000,
    )
    found = news(house)
    assert found["articles"][0] == shown
    assert [tab["id"] for tab in found["articleTabs"]] == ["original", "recommend", "wealth"]
    tabs = {tab["id"]: [each["id"] for each in tab["articles"]] for tab in found["articleTabs"]}
    assert stored["id"] in tabs["wealth"]
    assert stored["id"] not in tabs["original"]
    assert stored["id"] not in [each["id"] for each in found["tops"]]


def test_a_hot_topic_has_the_fixed_count_of_views(house: ApiServer) -> None:
    stored = save(house, **article(top=True, texts=texts("Hot", "<p>hot</p>")))
    top = news(house)["tops"][0]
    assert {name: top[name] for name in ("id", "title", "content", "views")} == {
        "id": stored["id"],
        "title": "Hot",
        "content": "<p>hot</p>",
        "views": 7706,
    }


def test_callers_get_their_language_and_else_english(house: ApiServer) -> None:
    translations = texts(
        "Hello", "<p>hello</p>", zh=("你好", "<p>你好</p>"), ja=("今日は", "<p>今日は</p>")
    )
    stored = save(house, **article(texts=translations))
    titles = {lang: detail(house, stored["id"], lang)["data"]["title"] for lang in ("zh", "ja")}
    assert titles == {"zh": "你好", "ja": "今日は"}
    for lang in ("en", "ko", "tlh"):
        assert detail(house, stored["id"], lang)["data"]["title"] == "Hello"
    names = [tab["name"] for tab in news(house, "zh")["articleTabs"]]
    assert names == ["原创", "推荐", "财富"]
    assert news(house, "zh")["articles"][0]["content"] == "<p>你好</p>"


def test_text_without_the_callers_language_is_returned_in_its_stored_language(
    house: ApiServer,
) -> None:
    translations = {"tw": {"title": "您好", "content": "<p>您好</p>"}}
    alone = save(house, **article(texts=translations))
    both = save(house, **article(texts={**texts("Hello", "<p>hello</p>"), **translations}))
    for lang in ("tw", "ko", "vi"):
        assert detail(house, both["id"], lang)["data"]["title"] == "您好"
    # A caller without a supported language gets English.
    for lang in ("en", "tlh"):
        assert detail(house, both["id"], lang)["data"]["title"] == "Hello"
        assert detail(house, alone["id"], lang)["data"]["title"] == "您好"


def test_an_article_is_cleaned_before_it_is_stored(house: ApiServer) -> None:
    """ASVS 1.3.1: cleaned on write, so that unclean HTML is never stored."""
    dirty = '<p onclick="x()">a</p><script>x()</script><a href="javascript:x()">b</a>'
    stored = save(house, **article(texts=texts("<b>T</b> & more", dirty)))
    clean = '<p>a</p><a rel="noopener">b</a>'
    assert stored["texts"]["en"] == {"title": "<b>T</b> & more", "content": clean}
    assert b"script" not in (body_of(house, stored["digest"]) or b"script")
    assert detail(house, stored["id"])["data"]["content"] == clean


def test_the_log_records_who_published_what_and_proves_the_text(
    house: ApiServer,
) -> None:
    first = save(house, **article())
    second = save(house, staff="ben", id=first["id"], **article(texts=texts("Changed")))
    withdraw(house, first["id"], "cho")
    assert facts(house, first["id"]) == [
        ContentPublished(first["id"], "article", first["digest"], "staff:ann"),
        ContentPublished(first["id"], "article", second["digest"], "staff:ben"),
        ContentWithdrawn(first["id"], "staff:cho"),
    ]
    for digest in (first["digest"], second["digest"]):
        body = body_of(house, digest)
        assert body is not None
        assert sha256(body).hexdigest() == digest


def test_words_that_are_not_what_was_published_are_not_shown(house: ApiServer) -> None:
    stored = save(house, **article())
    with psycopg.connect(house.conninfos.owner) as connection:
        connection.execute(
            "UPDATE content.texts SET body = body || %s WHERE digest = %s",
            (b" ", stored["digest"]),
        )
    house.services.content_store._cache.clear()
    assert detail(house, stored["id"])["reason"] == "article_unknown"
    assert stored["id"] not in heads(house)


def test_a_change_keeps_its_place_and_a_repeated_key_publishes_once(house: ApiServer) -> None:
    key = new_key()
    stored = save(house, key, **article())
    newer = save(house, **article())
    house.move_to(house.clock() + 60_000_000)
    changed = save(house, id=stored["id"], **article(texts=texts("Changed")))
    assert changed["createtime"] == stored["createtime"]
    assert changed["changetime"] == stored["changetime"] + 60
    assert heads(house)[:2] == [newer["id"], stored["id"]]
    assert save(house, key, **article())["id"] == stored["id"]
    assert len(facts(house, stored["id"])) == 2
    other = office(house, "contentSave", key, **article(texts=texts("Other")))
    assert other["reason"] == "key_reused"
    assert detail(house, stored["id"])["data"]["title"] == "Changed"


def test_a_withdrawn_article_is_unknown_and_can_be_shown_again(house: ApiServer) -> None:
    stored = save(house, **article())
    taken = withdraw(house, stored["id"], "ben")
    assert (taken["withdrawn"], taken["by"], taken["texts"]) == (
        *(True, "staff:ben"),
        stored["texts"],
    )
    assert detail(house, stored["id"])["reason"] == "article_unknown"
    assert stored["id"] not in heads(house)
    again = save(house, id=stored["id"], **article())
    assert (again["withdrawn"], again["digest"]) == (False, stored["digest"])
    assert stored["id"] in heads(house)


def test_erased_words_are_gone_and_their_facts_are_not(house: ApiServer) -> None:
    stored = save(house, **article())
    newer = save(house, id=stored["id"], **article(texts=texts("Changed")))
    assert withdraw(house, stored["id"], erase=True)["texts"] == {}
    assert body_of(house, stored["digest"]) is body_of(house, newer["digest"]) is None
    assert len(facts(house, stored["id"])) == 3
    listed = office(house, "content", kind="article")["data"][0]
    assert (listed["id"], listed["texts"], listed["withdrawn"]) == (stored["id"], {}, True)


@pytest.mark.parametrize("article_id", ["never-was", "", "x" * 200, "a\x00b", 7, "banner-draw"])
def test_an_article_that_there_is_not_is_unknown(house: ApiServer, article_id: Any) -> None:
    answer = detail(house, article_id)
    assert (answer["code"], answer["reason"], answer["field"]) == (0, "article_unknown", "id")


def test_banners_and_announcements_are_in_the_configuration(house: ApiServer) -> None:
    shown = save(
        house, **banner(link="/vip/moreNews", texts=texts("Look", "at this", zh=("看", "")))
    )
    words = texts("Pause", "We\npause <b>tonight</b>.")
    announced = save(house, kind="announcement", texts=words)
    data = config(house)
    assert data["banner"][0] == {
        "image": "/vip/banners/draw.svg",
        "title": "Look",
        "content": "at this",
        "link": "/vip/moreNews",
    }
    assert data["announcements"][0] == {
        "id": announced["id"],
        "title": "Pause",
        "content": "We\npause <b>tonight</b>.",
    }
    assert config(house, "zh")["banner"][0]["title"] == "看"
    for each in (shown, announced):
        withdraw(house, each["id"])
    after = config(house)
    assert announced["id"] not in [each["id"] for each in after["announcements"]]
    assert "Look" not in [each["title"] for each in after["banner"]]


def notice(content: str) -> dict[str, Any]:
    return {"kind": "announcement", "tab": "", "texts": texts("t", content)}


EN = {"title": "t", "content": "c"}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "another kind": ({"kind": "poem", "tab": ""}, "kind"),
    "neither tw nor English": ({"texts": {"zh": EN}}, "texts.tw"),
    "no texts": ({"texts": {}}, "texts.tw"),
    "an unknown language": ({"texts": {"en": EN, "tlh": EN}}, "texts.tlh"),
    "no title": ({"texts": texts(" \x00 ")}, "texts.en.title"),
    "a long title": ({"texts": texts("t" * 121)}, "texts.en.title"),
    "nothing but a script": ({"texts": texts("t", "<script>x</script>")}, "texts.en.content"),
    "too much": ({"texts": texts("t", "x" * 20_001)}, "texts.en.content"),
    "too much in Chinese": ({"texts": texts(zh=("标题", "字" * 20_001))}, "texts.zh.content"),
    "too much once closed": ({"texts": texts("t", "<b>" * 6_000)}, "texts.en.content"),
    "no tab": ({"tab": ""}, "tab"),
    "an unknown tab": ({"tab": "gossip"}, "tab"),
    "a picture of its own": ({"image": "/vip/a.svg"}, "image"),
    "a link of its own": ({"link": "/vip/"}, "link"),
    "a banner without a picture": (banner(image="", tab=""), "image"),
    "a banner's picture elsewhere": (banner(image="https://a.example/a.png", tab=""), "image"),
    "a banner's picture inside": (banner(image="data:image/png;base64,x", tab=""), "image"),
    "a banner's link of script": (banner(link="javascript:alert(1)", tab=""), "link"),
    "a banner's link elsewhere": (banner(link="http://a.example/", tab=""), "link"),
    "a hot banner": (banner(top=True, tab=""), "top"),
    "a notice in a tab": ({"kind": "announcement"}, "tab"),
    "a notice of nothing": (notice(""), "texts.en.content"),
    "a long notice": (notice("x" * 2_001), "texts.en.content"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_may_not_be_published_is_refused_by_its_field(house: ApiServer, case: str) -> None:
    change, field = BAD[case]
    house.catch_up()
    before = office(house, "content")["data"]
    answer = office(house, "contentSave", **{**article(), **change})
    assert (answer["code"], answer["reason"], answer["field"]) == (0, "content_invalid", field)
    assert office(house, "content")["data"] == before


def test_what_is_at_its_bounds_may_be_published(house: ApiServer) -> None:
    stored = save(house, **article(texts=texts("t" * 120, "x" * 20_000)))
    assert len(stored["texts"]["en"]["content"]) == 20_000


def test_only_known_content_is_changed_or_withdrawn(house: ApiServer) -> None:
    stored = save(house, **article())
    for call, body in (
        ("contentSave", {"id": "never-was", **article()}),
        ("contentSave", {"id": stored["id"], **banner()}),
        ("contentWithdraw", {"id": "never-was"}),
        ("contentWithdraw", {"id": ""}),
    ):
        answer = office(house, call, **body)
        assert (answer["reason"], answer["field"]) == ("content_unknown", "id"), body
    assert detail(house, stored["id"])["code"] == 1


@pytest.mark.parametrize(
    "call", ["content", "contentSave", "contentWithdraw", "message", "messageWithdraw"]
)
def test_content_is_for_staff_to_keep(house: ApiServer, call: str) -> None:
    body = {"staff": "ann", "id": "checking-a-draw", "player": "unknown", **article()}
    assert house.call(f"office/{call}", body, key=new_key())["reason"] == "staff_unknown"


def test_staff_list_everything_newest_first(house: ApiServer) -> None:
    first, second = save(house, **article()), save(house, **banner())
    withdraw(house, first["id"])
    listed = office(house, "content")["data"]
    assert [(each["id"], each["withdrawn"]) for each in listed[:2]] == [
        (second["id"], False),
        (first["id"], True),
    ]
    of_kind = office(house, "content", kind="article")["data"]
    assert of_kind[0]["id"] == first["id"]
    assert {each["kind"] for each in of_kind} == {"article"}
    for fields, field in (({"kind": "poem"}, "kind"), ({"cursor": "x"}, "cursor")):
        answer = office(house, "content", **fields)
        assert (answer["reason"], answer["field"]) == ("request_malformed", field)


def test_a_house_has_something_to_show_before_staff_have_written_anything(house: ApiServer) -> None:
    house.on_loop(lambda: seed_content.seed(house.services))
    house.catch_up()
    data = config(house, "zh")
    notices = {each["id"]: each["title"] for each in data["announcements"]}
    assert (notices["checking-draws"], notices["game-of-chance"]) == (
        *("如何验证开奖", "这是靠运气的游戏"),
    )
    banners = [
        ("/vip/banners/draw.svg", "/vip/lottery?id=0"),
        ("/vip/banners/proof.svg", "/vip/lotteryExplain"),
        ("/vip/banners/limits.svg", "/vip/setting?type=3"),
    ]
    # Other tests' banners may be listed as well.
    shown = [(each["image"], each["link"]) for each in data["banner"]]
    assert [each for each in shown if each in banners] == banners
    found = news(house)
    names = [each["id"] for each in found["articles"] if not each["id"].startswith("article-")]
    assert len(names) == 9
    assert names[0] == "checking-a-draw"
    tabs = {tab["id"]: [each["id"] for each in tab["articles"]] for tab in found["articleTabs"]}
    assert all(len([name for name in tab if name in names]) == 3 for tab in tabs.values())
    assert len([each for each in found["tops"] if each["id"] in names]) == 4
    for fact in facts(house, "checking-a-draw"):
        assert isinstance(fact, ContentPublished)
        assert fact.by == "house"


def test_defaults_leave_alone_what_staff_did(house: ApiServer) -> None:
    house.on_loop(lambda: seed_content.seed(house.services))
    house.catch_up()
    save(house, id="game-of-chance", kind="announcement", texts=texts("Ours", "words"))
    withdraw(house, "checking-draws")
    house.on_loop(lambda: seed_content.seed(house.services))
    house.catch_up()
    shown = {each["id"]: each["title"] for each in config(house)["announcements"]}
    assert shown["game-of-chance"] == "Ours"
    assert "checking-draws" not in shown


def test_every_default_is_in_every_language_and_only_demo_has_articles() -> None:
    demo, real = (list(seed_content.defaults(demo=demo)) for demo in (True, False))
    assert all(set(each.texts) == set(TRANSLATED) for each in demo)
    assert {each.kind for each in real} == {"banner", "announcement"}
    assert len(demo) == len(real) + 9
