"""The specification's calls with their payloads, and the tests that cover them."""

from dataclasses import dataclass
from typing import Final

from tests.contract.covering import Row, account, api, browser, covered, evening, webapp


@dataclass(frozen=True)
class CallRow:
    """A method, a path and a payload, in the specification's words."""

    method: str
    path: str
    payload: tuple[str, ...]
    answer: str
    tests: tuple[str, ...]


def _get(path: str, payload: str, answer: str, *tests: str) -> CallRow:
    return CallRow("GET", path, tuple(payload.split()), answer, tests)


def _post(path: str, payload: str, answer: str, *tests: str) -> CallRow:
    return CallRow("POST", path, tuple(payload.split()), answer, tests)


_HOME = evening("the_home_page_has_its_configuration_and_its_winners")
_GAMES = evening("the_games_their_halls_and_odds_are_those_of_the_house")
_NEWS = evening("the_news_page_has_topics_and_tabs_whose_articles_open")
_BET = evening("a_bet_goes_from_its_placing_to_its_result")
_RECALL = evening("a_recall_returns_every_bet_of_the_round_and_confirms_it")
_JOINED = account("registering_and_logging_in_answer_alike")
_WITHDRAW = account("missing_withdrawal_requirements_are_requested_in_order")
_PAYOUTS = account("both_payout_accounts_are_kept_and_shown_masked")
_CODE = account("a_security_code_has_six_digits_and_is_changed_by_the_old_one")

CALLS: Final[list[CallRow]] = [
    _get("/api/index/index", "", "banner and kefu; stored as config", _HOME),
    _post("/api/Lottery/index", "game_id", "gameList with plans", _GAMES),
    _post(
        "/api/Lottery/heart",
        "plan_id game_id",
        "heartbeat fields; hit_notice feeds the winner ticker",
        evening("every_heartbeat_has_the_fields_that_the_room_reads"),
        evening("the_winner_of_two_opposite_bets_is_in_the_ticker"),
    ),
    _get("/api/index/articleList", "", "list of articles (also tops and articleTabs)", _NEWS),
    _post("/api/index/articledetail", "id", "response shape: not shown", _NEWS),
    _post("/api/Lottery/oddsList", "plan_id game_id id", "rule_base, rule_num, num_code", _GAMES),
    _post(
        "/api/Lottery/playOrder",
        "issue plan_id game_id play_type money",
        "the bet with after_quantity; one call per selected odds item",
        _BET,
        evening("each_refused_bet_has_a_reason_and_takes_nothing"),
    ),
    _post("/api/Lottery/issueList", "game_id", "list of draws", _BET),
    _post(
        "/api/Lottery/cand",
        "game_id",
        "list of issue, cand, cand_code",
        evening("candles_show_each_draws_sum"),
    ),
    _post("/api/Lottery/recall", "issue game_id", "a message and data", _RECALL),
    _post(
        "/api/user/register",
        "username password group_id inviter_id",
        "on success the session is stored as for login",
        _JOINED,
        account("a_registration_that_was_not_answered_in_time_is_made_once"),
    ),
    _post(
        "/api/user/login", "account password", "userinfo with user_id, id, token, money", _JOINED
    ),
    _post(
        "/api/user/quantityLogList",
        "begin_date end_date type",
        "fund ledger list",
        _BET,
        evening("lists_are_limited_to_the_requested_days"),
    ),
    _post(
        "/api/user/orderList",
        "begin_date end_date",
        "bet history list; also used by the trend chart page",
        _BET,
        evening("lists_are_limited_to_the_requested_days"),
    ),
    _post("/api/user/userInfo", "", "reads msg", _BET),
    _post("/api/user/payInfo", "type", "acc, acc_name, acc_bank", _PAYOUTS),
    _post(
        "/api/user/setPayInfo",
        "acc acc_name acc_bank mark type",
        "response shape: not shown",
        _PAYOUTS,
        account("a_card_without_one_of_its_fields_is_refused"),
        account("a_wallet_type_is_an_address_type_of_usdt"),
    ),
    _post("/api/user/safetyInfo", "", "reads data.isTrue", _CODE),
    _post("/api/user/setSafety", "new_code after_code", "response shape: not shown", _CODE),
    _post(
        "/api/user/newPass",
        "new_pass after_pass",
        "response shape: not shown",
        account("the_password_changes_for_who_knows_the_old_one"),
    ),
    _post("/api/user/withdrawInfo", "", "money and pay_list", _PAYOUTS),
    _post(
        "/api/user/withdrawAction",
        "type money securityCode",
        "updated info",
        _WITHDRAW,
        api("withdrawals", "an_accepted_withdrawal_leaves_the_balance_at_once"),
    ),
    _post(
        "/api/user/recharge",
        "",
        "money, usdt, bankname, banknum, bankxm",
        account("the_deposit_page_names_where_to_pay"),
    ),
    _post(
        "/api/user/profile",
        "idcard",
        "failure shows a toast with msg",
        account("an_id_card_number_is_stored_once_and_a_failure_has_a_reason"),
    ),
]

_SENT = webapp("api/client", "host, language and token go with a call; no token with a login")

ABOUT_CALLS: Final[list[Row]] = [
    *covered(
        "Calls",
        ["every call adds host and lang to the body (POST) or query (GET)"],
        _SENT,
        _HOME,
        _BET,
    ),
    *covered(
        "Calls",
        ["the request language defaults to en"],
        api("translations", "other_languages_fall_back_to_english_and_none_means_english"),
    ),
    *covered(
        "Calls",
        ["a token header is sent on all calls except login and register"],
        _SENT,
        account("an_invalid_session_reloads_the_page"),
    ),
    *covered(
        "Calls",
        ["recall's message is shown as translated text"],
        _RECALL,
        browser("room", "recall_all_takes_every_bet_of_the_round_back"),
    ),
    *covered(
        "Calls",
        [
            "ledger type filter: deposit maps to 0",
            "every other choice maps to the selection index minus 1",
            "all sends no type",
        ],
        webapp(
            "features/history/FilterDrawer",
            "all sends no type; every other choice sends its index less one",
        ),
    ),
]
