"""News, articles and messages to a player: who may read them, and what is marked as read."""

import json
import re
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Phones
from tests.browser.house import Player, RunningServer
from tests.browser.phone import toast

ARTICLE = "checking-a-draw"
TITLE = "How to check a draw yourself"
GONE = "This article is no longer available"
NONSENSE = (
    *("", "?item=", "?item={", "?item=null", "?item=[1]", '?item={"id":{}}', "?item=%ff"),
    "?id=",
)
# Records whether text of a forged address has ever been on the page.
WATCH_FOR_FORGED = """new MutationObserver(() => {
  if (document.body?.innerText.includes("Send")) sessionStorage.forged = "seen";
}).observe(document, {subtree: true, childList: true, characterData: true})"""


def test_a_headline_opens_over_the_home_page_for_all_visitors(phone: Page) -> None:
    phone.goto("")
    headline = phone.get_by_test_id("headline").filter(has_text=TITLE)
    headline.click()
    dialog = phone.get_by_role("dialog", name=TITLE)
    expect(dialog.get_by_role("heading", name="Your receipt")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    phone.get_by_role("link", name="News at a glance").click()
    expect(phone).to_have_url(re.compile(r"/vip/login$"))


def test_hot_topics_were_seen_7706_times_and_stand_above_three_tabs(members_phone: Page) -> None:
    phone = members_phone
    phone.goto("")
    phone.get_by_role("link", name="News at a glance").click()
    topics = phone.get_by_test_id("topic")
    expect(topics.filter(has_text=TITLE)).to_be_visible()
    assert all("7,706 views" in text for text in topics.all_inner_texts())
    tabs = phone.get_by_role("tab")
    expect(tabs).to_have_text(["Original", "Recommended", "Wealth"])
    tabs.nth(2).click()
    wealth = phone.get_by_role("tabpanel", name="Wealth")
    wealth.get_by_role("link", name="What a bonus really costs").click()
    expect(phone.get_by_role("heading", name="What a bonus really costs")).to_be_visible()
    phone.get_by_role("button", name="Back").click()
    expect(phone.get_by_role("tab", name="Wealth")).to_have_attribute("aria-selected", "true")


def test_a_topic_leads_to_its_article_with_it_as_json_and_a_reload_finds_it(
    members_phone: Page,
) -> None:
    phone = members_phone
    phone.goto("moreNews")
    phone.get_by_test_id("topic").filter(has_text=TITLE).click()
    expect(phone.get_by_role("heading", name=TITLE)).to_be_visible()
    expect(phone.get_by_text("Each bet comes with a signed receipt.")).to_be_visible()
    (item,) = parse_qs(urlsplit(phone.url).query)["item"]
    assert json.loads(item)["id"] == ARTICLE
    assert json.loads(item)["title"] == TITLE
    phone.reload()
    expect(phone.get_by_role("heading", name=TITLE)).to_be_visible()
    expect(phone.get_by_text("Each bet comes with a signed receipt.")).to_be_visible()


def test_nonsense_in_the_address_is_no_article_and_leads_on(members_phone: Page) -> None:
    phone = members_phone
    for query in NONSENSE:
        phone.goto(f"aticleDetail{query}")
        expect(phone.get_by_text("There is no such article.")).to_be_visible()
    phone.goto("aticleDetail?id=never-written")
    expect(phone.get_by_role("main").get_by_text(GONE)).to_be_visible()
    phone.get_by_role("button", name="Go to the news").click()
    expect(phone.get_by_role("heading", name="Hot topics")).to_be_visible()


def test_text_in_a_forged_address_is_never_shown_as_the_houses(
    members_phone: Page,
) -> None:
    phone = members_phone
    forged = {"title": "Send your code", "content": "<p>Send it to us</p>"}
    phone.add_init_script(WATCH_FOR_FORGED)
    phone.goto(f"aticleDetail?item={quote(json.dumps({**forged, 'id': ARTICLE}))}")
    expect(phone.get_by_role("heading", name=TITLE)).to_be_visible()
    phone.goto(f"aticleDetail?item={quote(json.dumps({**forged, 'id': 'unheard-of'}))}")
    expect(phone.get_by_role("main").get_by_text(GONE)).to_be_visible()
    assert phone.evaluate("sessionStorage.forged") is None


def test_an_article_brings_no_scripts_and_its_links_open_safely(members_phone: Page) -> None:
    phone = members_phone
    content = (
        "<p style='position:fixed' class='x' id='root'>"
        "Read <a href='/vip/lotteryExplain'>the rules</a>, "
        "<a href='https://example.org/x'>a page</a>, <a href='javascript:boom()'>this</a></p>"
        "<script>boom()</script><img src='https://example.org/p.png' alt='far'>"
        "<img src='data:image/svg+xml,x' alt='inline'><style>p{display:none}</style>"
        "<iframe src='/vip/'></iframe><form action='/x'><input name='code'></form>"
        "<table><tr><td>cell</td></tr></table>"
    )

    def answer(route: Route) -> None:
        envelope = route.fetch().json()
        envelope["data"]["content"] = content
        route.fulfill(json=envelope)

    phone.route("**/api/index/articledetail", answer)
    phone.goto(f"aticleDetail?id={ARTICLE}")
    article = phone.get_by_role("article")
    expect(article.get_by_role("cell", name="cell")).to_be_visible()
    held = article.locator("script, img, style, iframe, form, input, [style], [id], p[class]")
    expect(held).to_have_count(0)
    outside = article.get_by_role("link", name="a page")
    expect(outside).to_have_attribute("target", "_blank")
    expect(outside).to_have_attribute("rel", re.compile("noopener"))
    assert article.get_by_text("this", exact=True).get_attribute("href") is None
    phone.evaluate("window.stayed = true")
    article.get_by_role("link", name="the rules").click()
    expect(phone).to_have_url(re.compile(r"/vip/lotteryExplain$"))
    assert phone.evaluate("window.stayed")


def test_no_news_and_no_answer_are_distinguished(members_phone: Page) -> None:
    phone = members_phone
    news: dict[str, Any] = {}

    def answer(route: Route) -> None:
        envelope = route.fetch().json()
        tabs = [{**tab, "articles": []} for tab in envelope["data"]["articleTabs"]]
        envelope["data"] = {"articles": [], "tops": [], "articleTabs": tabs}
        route.fulfill(json=news or envelope)

    phone.route("**/api/index/articleList*", answer)
    phone.goto("moreNews")
    expect(phone.get_by_text("There are no articles here yet.")).to_be_visible()
    expect(phone.get_by_role("heading", name="Hot topics")).to_have_count(0)
    news.update(code=0, msg="The house rests", time=0, data=None, reason="internal_error")
    phone.reload()
    expect(phone.get_by_role("main").get_by_text("The house rests")).to_be_visible()
    phone.unroute("**/api/index/articleList*")
    phone.get_by_role("button", name="Reload").click()
    expect(phone.get_by_role("heading", name="Hot topics")).to_be_visible()


def test_messages_are_counted_until_they_are_read_one_by_one_or_all(
    phones: Phones, house: RunningServer, member: Player
) -> None:
    house.office(
        "message",
        player=member.name,
        texts={"en": {"title": "Your question", "content": "We looked.\nAll is well."}},
    )
    waiting = member.call("user/messages")["unread"]
    phone = phones(member=member)
    phone.goto("")
    me = phone.get_by_role("link", name=re.compile(f"^Me {waiting} unread messages$"))
    me.click()
    phone.get_by_role("link", name=re.compile(f"announcements {waiting} unread messages$")).click()
    rows = phone.get_by_test_id("message")
    note = rows.filter(has_text="Your question")
    expect(note).to_contain_text("In-site message")
    expect(rows.filter(has_text="Platform announcement").first).to_be_visible()
    expect(note.get_by_text("Unread")).to_have_count(1)
    note.click()
    dialog = phone.get_by_role("dialog", name="Your question")
    expect(dialog).to_contain_text("All is well.")
    phone.keyboard.press("Escape")
    expect(note.get_by_text("Unread")).to_have_count(0)
    left = phone.get_by_role("status").filter(has_text="unread message")
    expect(left).to_have_text(re.compile(f"^{waiting - 1} unread messages?$"))
    assert member.call("user/messages")["unread"] == waiting - 1
    phone.get_by_role("button", name="Mark all as read").click()
    expect(phone.get_by_text("No unread messages")).to_be_visible()
    expect(phone.get_by_role("button", name="Mark all as read")).to_be_disabled()
    phone.goto("")
    expect(phone.get_by_role("link", name="Me", exact=True)).to_be_visible()
    assert member.call("user/messages")["unread"] == 0


def test_messages_come_page_by_page_and_an_empty_box_is_reported(members_phone: Page) -> None:
    phone = members_phone
    pages = {None: ("first", "next"), "next": ("second", None)}
    empty = False

    def answer(route: Route) -> None:
        title, cursor = pages[(route.request.post_data_json or {}).get("cursor")]
        about = {"kind": "account", "content": "…", "createtime": 1_700_000_000, "read": True}
        messages = [] if empty else [{"id": title, "title": f"The {title}", **about}]
        more = {"more": cursor is not None and not empty, "cursor": cursor}
        data = {"messages": messages, "unread": 0}
        route.fulfill(json={"code": 1, "msg": "ok", "time": 0, "data": data, **more})

    phone.route("**/api/user/messages", answer)
    phone.goto("notice")
    rows = phone.get_by_test_id("message")
    expect(rows).to_have_count(1)
    phone.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("The second")
    expect(phone.get_by_role("button", name="Show more")).to_have_count(0)
    empty = True
    phone.reload()
    expect(phone.get_by_text("No messages or announcements.")).to_be_visible()
    expect(toast(phone)).to_have_count(0)
