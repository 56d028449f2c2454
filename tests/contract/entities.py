"""The fields that the specification names, entity by entity, with a check of each value."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

Fields = Mapping[str, Callable[[Any], bool]]


def text(value: Any) -> bool:
    return isinstance(value, str)


def words(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def whole(value: Any) -> bool:
    return type(value) is int


def key(value: Any) -> bool:
    """An identifier that clients send back unchanged: a number or a word."""
    return whole(value) or words(value)


def amount(value: Any) -> bool:
    """Money is a number and never text, with at most two decimals."""
    return whole(value) or (isinstance(value, Decimal) and value == value.quantize(Decimal("0.01")))


def number(value: Any) -> bool:
    return whole(value) or isinstance(value, Decimal)


def truth(value: Any) -> bool:
    """A flag in JavaScript's sense: a boolean, or 0 and 1."""
    return isinstance(value, bool) or value in (0, 1)


def digit(value: Any) -> bool:
    return whole(value) and 0 <= value <= 9


def one_of(*allowed: Any) -> Callable[[Any], bool]:
    return lambda value: type(value) is type(allowed[0]) and value in allowed


def listed(value: Any) -> bool:
    return isinstance(value, list)


def mapped(value: Any) -> bool:
    return isinstance(value, dict)


def seconds(value: Any) -> bool:
    """Seconds since 1970, not milliseconds."""
    return whole(value) and 1_500_000_000 < value < 5_000_000_000


def two_labels(value: Any) -> bool:
    return listed(value) and len(value) == 2 and all(words(each) for each in value)


def stored(value: Any) -> bool:
    """A value that the player has not given yet is None."""
    return value is None or text(value)


USERINFO: Final[Fields] = {"user_id": whole, "id": whole, "token": words, "money": amount}
CONFIG: Final[Fields] = {"banner": listed, "kefu": mapped}
SERVICE: Final[Fields] = {"online": text, "ws": text}
PROFILE: Final[Fields] = {
    "username": words,
    "today_profit": amount,
    "money": amount,
    "profit": amount,
    "incode": words,
    "group_id": one_of(1, 2),
    "idcard": stored,
}
ARTICLE: Final[Fields] = {"id": key, "title": words, "content": words}
HEADLINE: Final[Fields] = {"id": key, "title": words}
TOP: Final[Fields] = {"title": words, "content": words}
ARTICLE_TAB: Final[Fields] = {"id": key, "articles": listed}
NEWS: Final[Fields] = {"tops": listed, "articleTabs": listed}
WINNER: Final[Fields] = {"nickname": words, "game_name": words, "profit": amount}
GAME: Final[Fields] = {
    "id": one_of(1, 2, 3, 4),
    "name": words,
    "issue": mapped,
    "planList": listed,
}
GAME_ISSUE: Final[Fields] = {"last_issue": text, "last_code": text}
PLAN: Final[Fields] = {
    "id": whole,
    "game_id": one_of(1, 2, 3, 4),
    "title": words,
    "type": one_of(0, 1, 2),
    "min_limit": amount,
    "join_limit": amount,
}
HEART: Final[Fields] = {
    "last_issue": mapped,
    "issue": mapped,
    "game_status": whole,
    "user_quantity": mapped,
    "hit_notice": listed,
    "message": listed,
}
LAST_ISSUE: Final[Fields] = {"issue_code": words}
ISSUE: Final[Fields] = {"issue": words, "openTime1": whole, "whether_close": truth}
USER_QUANTITY: Final[Fields] = {"money": amount}
BET: Final[Fields] = {
    "nickname": words,
    "issue": words,
    "play_method": words,
    "play_type": words,
    "quantity": amount,
    "after_quantity": amount,
}
ODDS: Final[Fields] = {"rule_base": listed, "rule_num": listed, "num_code": mapped}
ODDS_ITEM: Final[Fields] = {
    "class": words,
    "class_name": words,
    "odds": number,
    "ischeck": truth,
}
DRAW: Final[Fields] = {
    "issue_code": words,
    "site_1": digit,
    "site_2": digit,
    "site_3": digit,
    "code": whole,
    "base": two_labels,
}
ORDER: Final[Fields] = {
    "createtime": seconds,
    "title": words,
    "play_method": words,
    "plan_name": words,
    "status": whole,
    "whether_hit": one_of(0, 1),
    "profit": amount,
    "issue": words,
    "quantity": amount,
    "orderNo": words,
    "lottery_code": text,
}
LEDGER: Final[Fields] = {
    "type": one_of(0, 1, 2, 3, 4),
    "status": one_of(0, 1, 2),
    "mark": text,
    "createtime": seconds,
    "quantity": amount,
    "over": amount,
}
PAY_INFO: Final[Fields] = {"acc": text, "acc_name": text, "acc_bank": text}
WITHDRAW_INFO: Final[Fields] = {"money": amount, "pay_list": listed}
BANK_CHOICE: Final[Fields] = {"acc_bank": text, "acc_name": text}
WALLET_CHOICE: Final[Fields] = {"acc_name": text, "acc": text}
DEPOSIT_INFO: Final[Fields] = {
    "money": amount,
    "usdt": text,
    "bankname": text,
    "banknum": text,
    "bankxm": text,
}
SAFETY: Final[Fields] = {"isTrue": truth}
CANDLE: Final[Fields] = {"issue": words, "cand": listed, "cand_code": whole}


def is_a(fields: Fields, value: Any) -> Any:
    """Returns the value after checking that it has all the fields, each with a valid value."""
    assert isinstance(value, dict), value
    missing = fields.keys() - value.keys()
    assert not missing, (missing, value)
    wrong = {name: value[name] for name, right in fields.items() if not right(value[name])}
    assert not wrong, wrong
    return value


def are(fields: Fields, values: Any) -> Any:
    """Returns the list after checking each item."""
    assert isinstance(values, list), values
    return [is_a(fields, value) for value in values]
