"""The specification's constants and limits, and the tests that cover them."""

from typing import Final

from tests.contract.covering import (
    Row,
    account,
    api,
    browser,
    covered,
    engine,
    evening,
    webapp,
)

_DAYS = engine("schedule", "a_regular_day_is_274_rounds_of_210_seconds_in_16_hours")
_CARD = engine("odds", "the_card_pays_the_specified_odds_and_returns_what_they_are_worth")
_CODE = account("a_security_code_has_six_digits_and_is_changed_by_the_old_one")
_PICTURES = browser("home", "the_pictures_change_every_three_seconds")
_HEADLINES = browser("home", "the_announcements_swipe_up_every_three_seconds_for_one")

CONSTANTS: Final[list[Row]] = [
    *covered(
        "Request timeout",
        ["7000 ms"],
        webapp(
            "api/client",
            "the second attempt begins two seconds after the first has timed out at seven",
        ),
    ),
    *covered(
        "Timeout retries",
        ["7 attempts in total, 2 s apart"],
        webapp(
            "api/client",
            "an unanswered keyed call is made seven times with the same key, then rejected",
        ),
    ),
    *covered(
        "Start loading overlay",
        ["1 s"],
        browser("home", "the_start_mark_stays_until_a_second_has_passed_since_the_start"),
    ),
    *covered("Banner autoplay", ["3 s"], _PICTURES),
    *covered("Notice bar vertical swipe", ["autoplay 3 s, duration 1 s"], _HEADLINES),
    *covered(
        "Winner ticker",
        ["scroll step 0.2, wait 1 s"],
        browser("home", "the_winners_scroll_by_a_fifth_of_a_pixel_and_wait_a_second"),
    ),
    *covered(
        "Remember-me cookies",
        ["expire in 14 days", "if not remembered they are cleared"],
        browser("home", "the_remembered_name_is_kept_for_fourteen_days_or_cleared"),
    ),
    *covered("Round length", ["3.5 minutes"], _DAYS),
    *covered(
        "Sales hours",
        ["10:00 AM to 02:00 AM next day"],
        _DAYS,
        engine("schedule", "the_last_round_of_the_last_game_ends_the_day_at_two"),
    ),
    *covered(
        "Draw",
        ["3 digits, each 0-9; sum 0-27"],
        engine("games", "a_thousand_draws_spread_over_the_sums_as_published"),
        evening("a_bet_goes_from_its_placing_to_its_result"),
    ),
    *covered(
        "Draw",
        ["small 0-13, big 14-27", "odd/even by the sum"],
        engine("games", "the_labels_turn_between_13_and_14"),
        evening("a_bet_goes_from_its_placing_to_its_result"),
    ),
    *covered(
        "Game ids",
        ["1 Singapore, 2 New Zealand, 3 Kuala Lumpur, 4 Australia"],
        evening("the_games_their_halls_and_odds_are_those_of_the_house"),
    ),
    *covered(
        "Room tiers (type)",
        ["0 ordinary, 1 mid-level, 2 high-level"],
        engine("catalogue", "a_title_names_the_room_and_the_hall"),
    ),
    *covered(
        "Odds",
        [
            "big/small/odd/even 1.98x",
            "combinations (small-odd, small-even, big-odd, big-even) 3.8x",
            "extreme big or extreme small 11x",
        ],
        _CARD,
        evening("the_games_their_halls_and_odds_are_those_of_the_house"),
    ),
    *covered(
        "Minimum withdrawal",
        ["100"],
        account("missing_withdrawal_requirements_are_requested_in_order"),
    ),
    *covered(
        "Security code",
        ["keypad auto-submits at the 6th"],
        browser("money", "money_comes_in_is_played_with_and_goes_out_and_the_ledger_shows_it"),
    ),
    *covered("Security code", ["6 digits"], _CODE, api("security", "codes_that_are_refused")),
    *covered(
        "Quick amounts",
        ["5, 10, 50, 300, 500, balance minus 1"],
        webapp("features/room/slip/betSlip", "are 5, 10, 50, 300, 500 and the balance less 1"),
        browser("room", "quick_amounts_fill_the_stake_and_the_last_leaves_one_unit"),
    ),
    *covered(
        "Minimum unit purchase",
        ["1u"],
        webapp("features/room/slip/betSlip", "is at least 1u whatever the plan says"),
        engine("bets", "a_stake_outside_whole_units_from_1_to_50000_is_refused"),
    ),
    *covered(
        "Heartbeat poll",
        ["2000 ms"],
        webapp(
            "features/room/roomConnection",
            "asks for one heartbeat at once and every two seconds until the stream is open",
        ),
    ),
    *covered(
        "Live bet list",
        ["trimmed by 30 from the front when over 300 items"],
        webapp(
            "features/room/feed/betFeed", "keeps 300 and drops 30 from the front with the 301st"
        ),
    ),
    *covered(
        "Date picker",
        ["2018-01-01 to today", "format yyyy-mm-dd"],
        api("bad_input", "dates_and_cursors_are_checked"),
        evening("lists_are_limited_to_the_requested_days"),
    ),
    *covered(
        "Date picker",
        ["missing dates default to today"],
        webapp("features/history/FilterDrawer", "missing dates are today"),
        evening("lists_are_limited_to_the_requested_days"),
    ),
    *covered(
        "Username (text)",
        ["6-16 characters, letters and digits"],
        api("bad_input", "registration_rules"),
        browser("entry", "a_user_name_needs_letters_and_digits"),
    ),
    *covered(
        "Turnover for withdrawal",
        ["1x principal"],
        api("withdrawals", "turnover_due_blocks_a_withdrawal_and_is_shown"),
    ),
    *covered(
        "Turnover for withdrawal",
        ["overnight bonus 2x and a 24-hour wait"],
        api("protection", "the_overnight_bonus_comes_once_and_is_released_after_its_turnover"),
        engine("gifts", "bonus_money_is_released_once_its_turnover_and_its_time_are_done"),
    ),
    *covered(
        "Visitor registration",
        ["username is the visitor label plus the current Unix seconds"],
        webapp(
            "features/auth/validateRegistration",
            "a visitor's name is the label and the Unix second",
        ),
        evening("a_visitor_looks_round_and_must_register_to_bet"),
    ),
    *covered(
        "Visitor registration",
        ["password a random string of 6 capital letters"],
        webapp(
            "features/auth/validateRegistration",
            "a visitor's password is six capitals, without the bias of a bare remainder",
        ),
        evening("a_visitor_looks_round_and_must_register_to_bet"),
    ),
    *covered(
        "Visitor registration",
        ["group_id 2; no inviter"],
        evening("a_visitor_looks_round_and_must_register_to_bet"),
    ),
    *covered(
        "Bank holder masking",
        ["first 3 characters, four stars, then part of the end"],
        "tests/runtime/test_vault_masking.py::test_three_characters_four_stars_and_part_of_the_end",
        account("both_payout_accounts_are_kept_and_shown_masked"),
    ),
    *covered(
        "Locale codes",
        ["zh, tw, en, vi, ru, my, ja, ko"],
        api("translations", "other_languages_fall_back_to_english_and_none_means_english"),
    ),
    *covered(
        "Locale codes",
        ["default language in stored text is tw"],
        api(
            "published_content",
            "text_without_the_callers_language_is_returned_in_its_stored_language",
        ),
    ),
    *covered(
        "Locale codes",
        ["the request language default is en"],
        api("translations", "other_languages_fall_back_to_english_and_none_means_english"),
    ),
    *covered(
        "Version text",
        ["21.04.02"],
        api("calls", "the_configuration_names_operator_games_and_demo"),
    ),
    *covered(
        "Invite link",
        ["register page with inviter_id equal to the user id"],
        account("an_inviters_code_is_the_id_in_the_invite_link"),
        browser("entry", "an_unknown_invitation_code_is_refused_in_words"),
    ),
    *covered(
        "Invite link",
        ["QR 200x200"],
        browser("profile", "an_invitation_is_a_code_and_a_link_that_is_copied"),
    ),
    *covered(
        "Deposit details",
        ["USDT on the TRC20 network; bank transfer"],
        api("deposits", "the_page_shows_where_to_send_money_and_what_it_leads_to"),
    ),
    *covered(
        "Hot-topic view count",
        ["fixed 7706"],
        browser("news", "hot_topics_were_seen_7706_times_and_stand_above_three_tabs"),
    ),
]
