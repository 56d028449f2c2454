"""Publishes content as staff of the tests."""

from typing import Any

from tests.api.staffing import office
from tests.api.support import ApiServer


def texts(title: str = "Title", content: str = "<p>words</p>", **others: Any) -> dict[str, Any]:
    """English, and other languages as (title, content)."""
    translations = {
        locale: dict(zip(("title", "content"), it, strict=True)) for locale, it in others.items()
    }
    return {"en": {"title": title, "content": content}, **translations}


def article(**fields: Any) -> dict[str, Any]:
    return {"kind": "article", "tab": "original", "texts": texts(), **fields}


def banner(**fields: Any) -> dict[str, Any]:
    return {"kind": "banner", "image": "/vip/banners/draw.svg", "texts": texts(), **fields}


def save(
    house: ApiServer, key: str | None = None, staff: str = "ann", **body: Any
) -> dict[str, Any]:
    """Publish content and return it as stored. All players can read it afterwards."""
    answer = office(house, "contentSave", key, staff, **body)
    assert answer["code"] == 1, answer
    house.catch_up()
    stored: dict[str, Any] = answer["data"]
    return stored


def withdraw(house: ApiServer, content: str, staff: str = "ann", **fields: Any) -> dict[str, Any]:
    answer = office(house, "contentWithdraw", None, staff, id=content, **fields)
    assert answer["code"] == 1, answer
    house.catch_up()
    stored: dict[str, Any] = answer["data"]
    return stored


def news(house: ApiServer, lang: str = "en") -> dict[str, Any]:
    answer = house.client.get("/api/index/articleList", params={"lang": lang}).json()
    data: dict[str, Any] = answer["data"]
    return data


def detail(house: ApiServer, article: Any, lang: str = "en") -> dict[str, Any]:
    return house.call("index/articledetail", {"id": article, "lang": lang})


def config(house: ApiServer, lang: str = "en") -> dict[str, Any]:
    answer = house.client.get("/api/index/index", params={"lang": lang}).json()
    data: dict[str, Any] = answer["data"]
    return data
