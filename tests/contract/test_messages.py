"""Each message of the specification's error catalogue, in English and Chinese.

The server sends it as a refusal or on success, or it is a text of the app.
"""

import ast
import json
import re
from functools import cache
from typing import Any, Final

import pytest

from api.http.localization import TRANSLATED
from engine.refusals import Refusal
from tests.architecture.sources import ROOT, python
from tests.contract.row_errors import ERRORS

#: The specification's message, its source, and the text that it must contain in both languages.
MESSAGES: Final = [
    ("login success", "success logged_in", "login success", "登录成功"),
    ("login success", "webapp entry.loginDone", "login success", "登录成功"),
    ("submitted successfully", "success submitted", "submitted success", "提交成功"),
    ("added successfully", "success added", "added success", "添加成功"),
    ("set successfully", "success set", "set success", "设置成功"),
    ("switched to line 1 or 2", "webapp account.lineSwitched", "switched to line", "线路"),
    ("order placed successfully", "success order_placed", "order placed success", "下单成功"),
    ("cancelled successfully", "success recalled", "cancelled success", "撤单成功"),
    (
        "link copied (copied to clipboard)",
        "webapp profile.share.copied",
        "link copied to clipboard",
        "已复制",
    ),
    ("joined chat room successfully", "success joined_chat", "joined chat room success", "聊天室"),
    ("system has muted you, choose to buy", "refusal muted", "choose to buy", "禁言"),
    (
        "assets insufficient, please deposit (room entry)",
        "webapp common.tooPoor",
        "assets insufficient, please deposit",
        "资产不足",
    ),
    (
        "please enter the withdrawal amount",
        "refusal withdrawal_amount_missing",
        "enter the withdrawal amount",
        "请输入提现金额",
    ),
    ("minimum withdrawal 100", "refusal withdrawal_too_small", "minimum withdrawal is 100", "100"),
    (
        "the two passwords are inconsistent",
        "webapp entry.mismatch",
        "the two passwords are inconsistent",
        "不一致",
    ),
    ("closed, stop buying (buy or follow)", "refusal round_closed", "closed, stop buying", "封盘"),
    (
        "closed, stop buying (buy or follow)",
        "webapp room.closedToast",
        "closed, stop buying",
        "封盘",
    ),
    (
        "only the current round can be followed",
        "refusal round_not_current",
        "only the current round can be followed",
        "当前期",
    ),
    (
        "only the current round can be followed",
        "webapp room.notCurrent",
        "only the current round can be followed",
        "当前",
    ),
    (
        "insufficient balance, transfer out failed",
        "refusal withdrawal_funds_insufficient",
        "insufficient balance, transfer out failed",
        "余额不足",
    ),
    ("transfer out failed", "webapp money.withdraw.failed", "transfer out failed", "失败"),
    ("visitor must register first", "refusal must_register", "must register first", "注册"),
    (
        "product has been discontinued",
        "refusal product_discontinued",
        "product has been discontinued",
        "停售",
    ),
    (
        "forgot password, contact customer service",
        "webapp entry.forgotText",
        "customer service",
        "客服",
    ),
]
_LINE: Final = re.compile(r'(\w+):\s*("(?:[^"\\]|\\.)*")|(\w+): \{|(\})')


@cache
def _in_app(file: str, language: str) -> dict[str, str]:
    """The texts of one of the app's i18n files by their dotted keys."""
    text = (ROOT / f"webapp/src/i18n/{language}/{file}.ts").read_text()
    found, within = {}, list[str]()
    for key, words, group, end in _LINE.findall(text):
        if end and within:
            within.pop()
        elif group:
            within.append(group)
        elif key:
            found[".".join([*within, key])] = json.loads(words)
    return found


def _message_of(source: str, language: str) -> str:
    who, _, name = source.partition(" ")
    if who == "webapp":
        file, _, key = name.partition(".")
        return _in_app(file, language)[key]
    texts = TRANSLATED[language]
    return texts.success[name] if who == "success" else texts.refusal(Refusal(name))


def _server_literals() -> set[str]:
    """Every string literal in the API's code; a success is named by one."""
    nodes = (node for source in python("api") for node in source.nodes())
    return {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize(("message", "source", "english", "chinese"), MESSAGES)
def test_each_message_has_its_text_in_both_languages(
    message: str, source: str, english: str, chinese: str
) -> None:
    assert english in _message_of(source, "en").lower(), message
    assert chinese in _message_of(source, "zh"), message


def test_the_server_uses_every_success_message() -> None:
    named = {source.removeprefix("success ") for _, source, *_ in MESSAGES if "success " in source}
    assert named <= _server_literals()


def test_every_message_of_the_catalogue_is_covered() -> None:
    rows: list[Any] = [row for row in ERRORS if row.subject in {"Success", "Refusals"}]
    assert {row.requirement for row in rows} == {message for message, *_ in MESSAGES}
    assert len({row.requirement for row in rows}) == 21
