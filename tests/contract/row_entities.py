"""The specification's entities, field by field, and the tests that cover them."""

from typing import Final

from tests.contract.covering import (
    Row,
    account,
    api,
    books,
    browser,
    covered,
    engine,
    evening,
    webapp,
)

_SIGNED_IN = webapp(
    "lib/session", "signing in stores token, ids, money and group, and keeps the chosen line"
)
_SIGNED_OUT = webapp("lib/session", "signing out clears all but the chosen line")
_LINE_TWO = browser("lines", "on_line_two_a_bet_is_placed_settled_and_shown")
_RELOAD = browser("guard", "a_reload_keeps_a_member_signed_in")
_GUARD = browser("guard", "a_session_that_the_house_does_not_know_ends_at_the_login")
_LANGUAGE = browser("entry", "choosing_chinese_changes_every_page")
_JOINED = account("registering_and_logging_in_answer_alike")
_HOME = evening("the_home_page_has_its_configuration_and_its_winners")
_BET = evening("a_bet_goes_from_its_placing_to_its_result")
_NEWS = evening("the_news_page_has_topics_and_tabs_whose_articles_open")
_WINNER = evening("the_winner_of_two_opposite_bets_is_in_the_ticker")
_GAMES = evening("the_games_their_halls_and_odds_are_those_of_the_house")
_HEART = evening("every_heartbeat_has_the_fields_that_the_room_reads")
_SEALED = evening("betting_is_seen_to_stop_before_the_draw")
_PAYOUTS = account("both_payout_accounts_are_kept_and_shown_masked")
_STATEMENT = api("statement", "a_notice_waits_in_the_statement_until_staff_have_decided")
_GIFTS = api("statement", "gifts_and_released_bonus_money_show_their_amount")
_VISITOR = evening("a_visitor_looks_round_and_must_register_to_bet")
_KINDS = engine("games", "the_kinds_are_the_named_ones_and_the_sums_in_the_order_of_the_product")
_BET_DETAIL = browser("first_evening", "history_shows_the_result_of_each_bet")

ENTITIES: Final[list[Row]] = [
    *covered("Session", ["token", "userId", "id", "money", "group_id"], _SIGNED_IN),
    *covered("Session", ["idcard (ID-card number)"], _SIGNED_OUT),
    *covered(
        "Session", ["activeList (0 or 1, the chosen line)"], _SIGNED_IN, _SIGNED_OUT, _LINE_TWO
    ),
    *covered("Session", ["kept in session storage and in app state"], _RELOAD),
    *covered("Session", ["the token also exists as a cookie used by the route guard"], _GUARD),
    *covered("Session", ["locale and locale type are kept in local storage"], _LANGUAGE),
    *covered(
        "Session",
        ["login also stores the full user info there"],
        webapp("lib/session", "the device keeps who signed in, but never the token"),
    ),
    *covered(
        "Session",
        ["a usercrud flag (truthy when base info is complete)"],
        api("payouts", "base_info_is_completed_once_and_shown_masked"),
    ),
    *covered(
        "Login response",
        [f"userinfo.{name}" for name in ("user_id", "id", "token", "money")],
        _JOINED,
    ),
    *covered("Config", ["banner (list with image path)", "kefu.online", "kefu.ws"], _HOME),
    *covered(
        "User profile", ["read under msg", "username", "today_profit", "money", "profit"], _BET
    ),
    *covered(
        "User profile",
        ["incode (invite code)"],
        account("an_inviters_code_is_the_id_in_the_invite_link"),
    ),
    *covered("User profile", ["group_id"], _BET, _VISITOR),
    *covered(
        "User profile",
        ["idcard"],
        account("an_id_card_number_is_stored_once_and_a_failure_has_a_reason"),
    ),
    *covered("Article", ["id", "title", "content (HTML)"], _NEWS),
    *covered("News", ["tops: title, content", "articleTabs: id, articles"], _NEWS),
    *covered("Winner notice (hit_notice)", ["nickname", "game_name", "profit"], _WINNER),
    *covered(
        "Game list entry", ["id", "name", "issue with last_issue and last_code", "planList"], _GAMES
    ),
    *covered("Plan", ["id", "game_id", "title", "type (0, 1, 2)"], _GAMES),
    *covered(
        "Plan",
        ["min_limit", "join_limit"],
        _GAMES,
        engine("catalogue", "the_least_stake_follows_the_hall_in_every_room"),
    ),
    *covered(
        "Heartbeat response",
        [
            "last_issue (issue_code)",
            "issue.issue",
            "issue.openTime1 in seconds",
            "user_quantity (money)",
            "hit_notice (list)",
            "message (list of other players' bets)",
        ],
        _HEART,
    ),
    *covered("Heartbeat response", ["issue.whether_close"], _SEALED),
    *covered(
        "Heartbeat response",
        ["game_status (1 = open)"],
        _SEALED,
        api("office_house", "a_switch_closes_its_rooms_and_a_running_round_finishes"),
    ),
    *covered(
        "Bet message",
        ["nickname", "issue", "play_method", "play_type", "quantity", "after_quantity"],
        _HEART,
        _BET,
    ),
    *covered(
        "Odds list",
        [
            "rule_base",
            "rule_num",
            "item: class",
            "item: class_name",
            "item: odds",
            "item: ischeck",
            "num_code is a map of label to profit sum",
        ],
        _GAMES,
    ),
    *covered(
        "Draw",
        ["issue_code", "site_1", "site_2", "site_3", "code (sum)", "base (two labels)"],
        _BET,
    ),
    *covered(
        "Order / bet record",
        [
            "createtime (seconds)",
            "title",
            "play_method",
            "plan_name",
            "status",
            "whether_hit",
            "profit",
            "issue",
            "quantity",
            "orderNo",
            "lottery_code (space-separated, four parts)",
            "status 0 = pending or accepted, status 1 = settled",
            "whether_hit is 0 or 1",
        ],
        _BET,
    ),
    *covered(
        "Fund ledger entry",
        [
            "mark",
            "createtime in seconds",
            "quantity",
            "over (balance after)",
            "type 2 purchase",
            "type 3 profit",
            "status 1 passed",
        ],
        _BET,
    ),
    *covered("Fund ledger entry", ["type 0 deposit", "status 0 not passed"], _STATEMENT),
    *covered(
        "Fund ledger entry",
        ["type 1 withdraw"],
        api("withdrawals", "an_accepted_withdrawal_leaves_the_balance_at_once"),
    ),
    *covered("Fund ledger entry", ["type 4 gift"], _GIFTS),
    *covered(
        "Fund ledger entry",
        ["status 2 rejected"],
        api("deposits", "a_rejected_deposit_is_shown_as_such_and_credits_nothing"),
    ),
    *covered(
        "Pay info",
        [
            "acc",
            "acc_name",
            "acc_bank",
            "type 0 is a bank card",
            "type 1 is a virtual wallet: acc is the address, acc_name the type",
        ],
        _PAYOUTS,
    ),
    *covered(
        "Withdraw info",
        [
            "money",
            "pay_list",
            "index 0 a bank account with acc_bank and acc_name",
            "index 1 a virtual wallet with acc_name and acc",
        ],
        _PAYOUTS,
        account("missing_withdrawal_requirements_are_requested_in_order"),
    ),
    *covered(
        "Deposit info",
        ["money", "usdt", "bankname", "banknum", "bankxm"],
        account("the_deposit_page_names_where_to_pay"),
    ),
    *covered(
        "Safety info",
        ["isTrue (whether a security code is set)"],
        account("a_security_code_has_six_digits_and_is_changed_by_the_old_one"),
    ),
    *covered(
        "Candlestick datum", ["issue", "cand", "cand_code"], evening("candles_show_each_draws_sum")
    ),
    *covered("Group id", ["1 for normal registration"], _BET),
    *covered("Group id", ["2 for visitor registration"], _VISITOR),
    *covered(
        "Account (implied by labels)",
        ["username", "password", "confirm password"],
        browser("entry", "an_empty_registration_requires_each_field"),
    ),
    *covered(
        "Account (implied by labels)",
        ["invitation code"],
        browser("entry", "an_unknown_invitation_code_is_refused_in_words"),
    ),
    *covered(
        "Account (implied by labels)",
        ["nickname"],
        api("calls", "the_profile_is_under_msg_and_data"),
    ),
    *covered(
        "Account (implied by labels)",
        ["security code"],
        api("security", "a_first_code_is_set_once_and_cools_for_a_day"),
    ),
    *covered(
        "Account (implied by labels)",
        ["balance or total assets"],
        books("statements", "only_bets_make_profit_and_total_assets_include_pending_withdrawals"),
    ),
    *covered(
        "Account (implied by labels)",
        ["storage money"],
        api("calls", "the_heartbeat_counts_down_and_shows_the_callers_money"),
    ),
    *covered(
        "Account (implied by labels)",
        ["today's and yesterday's profit"],
        books("accounts", "profits_count_by_the_operators_calendar_day_of_the_settlement"),
    ),
    *covered(
        "Bet categories (implied by labels)",
        [
            "big, small, single, double",
            "big-single, small-single, big-double, small-double",
            "many (long) and short, and their single and double variants",
            "cathode (extremely yin) and anode (extremely yang)",
            "number bet",
        ],
        _KINDS,
        webapp("i18n/texts", "%s has the keys of English"),
    ),
    *covered(
        "Bet categories (implied by labels)",
        ["flat single and flat double"],
        browser("protection", "the_rules_give_every_name_of_a_bet_and_what_else_applies"),
    ),
    *covered(
        "Bet detail labels",
        ["bill number", "profit", "category", "number selection detail"],
        _BET_DETAIL,
    ),
    *covered(
        "Bet detail labels",
        ["omission (missing count)"],
        browser("charts", "the_trend_marks_what_each_draw_hit_and_counts_what_is_missing"),
    ),
    *covered(
        "Bet detail labels",
        [
            "hall information",
            "purchase info",
            "purchase time",
            "quantity",
            "amount",
            "round number (period)",
        ],
        _BET,
    ),
]
