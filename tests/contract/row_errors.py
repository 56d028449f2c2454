"""The specification's error catalogue, and the tests that cover it."""

from typing import Final

from tests.contract.covering import (
    Row,
    account,
    api,
    browser,
    covered,
    evening,
    messages,
    webapp,
)

_CODES = webapp("api/client", "code %i clears the session, then reloads")
_SUCCEEDS = webapp("api/client", "code %i succeeds")
_REJECTS = webapp("api/client", "another code rejects with its envelope, and is not repeated")
_PAUSES = webapp(
    "api/client", "the second attempt begins two seconds after the first has timed out at seven"
)
_SEVEN = webapp(
    "api/client", "an unanswered keyed call is made seven times with the same key, then rejected"
)
_RELOADS = account("an_invalid_session_reloads_the_page")
_WORDED = messages("each_message_has_its_text_in_both_languages")

ERRORS: Final[list[Row]] = [
    *covered(
        "Envelope",
        ["code 1 is success"],
        _SUCCEEDS,
        evening("a_bet_goes_from_its_placing_to_its_result"),
    ),
    *covered("Envelope", ["code 200 is also passed through as success"], _SUCCEEDS),
    *covered(
        "Envelope",
        ["50008 causes a full page reload", "50012 causes a full page reload"],
        _CODES,
        _RELOADS,
    ),
    *covered(
        "Envelope",
        ["50014 causes a full page reload"],
        _CODES,
        api("sessions", "a_session_ends_after_thirty_days"),
    ),
    *covered(
        "Envelope",
        ["any other code is rejected with the envelope; screens toast its msg"],
        _REJECTS,
        account("a_call_without_its_fields_is_rejected_with_the_envelope"),
    ),
    *covered(
        "Network",
        ["a request times out after 7 seconds"],
        _PAUSES,
        account("a_registration_that_was_not_answered_in_time_is_made_once"),
    ),
    *covered(
        "Network",
        ["it is retried automatically every 2 seconds"],
        _PAUSES,
        browser("weak_network", "the_same_bet_is_sent_again_with_the_same_key_after_nine_seconds"),
    ),
    *covered(
        "Network",
        ["up to 7 attempts in total, then rejected"],
        _SEVEN,
        browser("weak_network", "seven_attempts_are_all"),
    ),
    *covered(
        "Screens",
        ["login and register failure: failure toast with the server msg"],
        browser("entry", "a_wrong_password_is_reported_without_naming_the_wrong_half"),
        browser("entry", "a_taken_user_name_is_refused_in_words"),
    ),
    *covered(
        "Screens",
        ["profile save failure: failure toast with msg"],
        browser("profile", "base_information_is_requested_and_stored_once"),
    ),
    *covered(
        "Screens",
        ["bank card save, wallet save and password change: no more than the rejection"],
        api("payouts", "what_is_no_account_is_refused"),
        browser("security", "a_password_is_changed_by_the_old_one_and_ends_other_devices"),
    ),
    *covered(
        "Screens",
        ["failures of any other call show a failure toast with the server's msg"],
        browser("room", "a_balance_spent_elsewhere_meanwhile_gives_the_servers_message"),
    ),
    *covered(
        "Empty states",
        [
            "the bet history shows a no-data prompt with a reload button",
            "the ledger shows a no-data toast and a reload button",
        ],
        browser("home", "lists_without_entries_are_reported_and_can_be_read_again"),
    ),
    *covered(
        "Guard",
        ["a guest gets a loading toast for 500 ms, then /login"],
        browser("guard", "a_visitor_is_sent_to_the_login_after_a_loading_toast"),
    ),
    *covered(
        "Success",
        ["login success"],
        _WORDED,
        browser("entry", "a_login_leads_home_and_shows_the_balance"),
    ),
    *covered(
        "Success",
        ["submitted successfully"],
        _WORDED,
        api("payouts", "base_info_is_completed_once_and_shown_masked"),
    ),
    *covered(
        "Success",
        ["added successfully"],
        _WORDED,
        api("payouts", "a_card_is_shown_with_half_of_its_holder_and_its_last_four_digits"),
    ),
    *covered(
        "Success",
        ["set successfully"],
        _WORDED,
        api("security", "a_first_code_is_set_once_and_cools_for_a_day"),
    ),
    *covered(
        "Success",
        ["switched to line 1 or 2"],
        _WORDED,
        browser("profile", "a_line_is_chosen_by_its_button_and_the_page_goes_back"),
    ),
    *covered(
        "Success",
        ["link copied (copied to clipboard)"],
        _WORDED,
        browser("profile", "an_invitation_is_a_code_and_a_link_that_is_copied"),
    ),
    *covered(
        "Success",
        ["order placed successfully"],
        _WORDED,
        api("calls", "a_bet_answers_with_the_bet_the_balance_and_a_signed_receipt"),
    ),
    *covered(
        "Success",
        ["cancelled successfully"],
        _WORDED,
        evening("a_recall_returns_every_bet_of_the_round_and_confirms_it"),
    ),
    *covered(
        "Refusals",
        ["assets insufficient, please deposit (room entry)"],
        _WORDED,
        browser("lottery", "a_balance_below_the_entry_is_refused_and_enough_goes_in"),
    ),
    *covered(
        "Refusals",
        ["please enter the withdrawal amount", "minimum withdrawal 100"],
        _WORDED,
        account("missing_withdrawal_requirements_are_requested_in_order"),
    ),
    *covered(
        "Refusals",
        ["insufficient balance, transfer out failed"],
        api("withdrawals", "missing_requirements_are_requested_in_the_specifications_order"),
        browser("money", "money_comes_in_is_played_with_and_goes_out_and_the_ledger_shows_it"),
    ),
    *covered(
        "Refusals",
        ["transfer out failed"],
        webapp(
            "features/money/useWithdraw",
            "a transfer that failed without words says so; with words they are shown",
        ),
    ),
    *covered(
        "Refusals",
        ["the two passwords are inconsistent"],
        _WORDED,
        browser("entry", "a_password_is_long_enough_and_typed_twice_the_same"),
    ),
    *covered(
        "Refusals",
        ["closed, stop buying (buy or follow)"],
        _WORDED,
        evening("betting_is_seen_to_stop_before_the_draw"),
        browser("room", "nothing_is_bought_or_followed_once_the_clock_is_past_the_close"),
    ),
    *covered(
        "Refusals",
        ["only the current round can be followed"],
        _WORDED,
        api("bad_input", "a_bad_bet_is_refused_and_changes_nothing"),
        webapp("features/room/phase", "is refused for a bet of another round"),
    ),
    *covered(
        "Refusals",
        ["visitor must register first"],
        _WORDED,
        evening("a_visitor_looks_round_and_must_register_to_bet"),
        browser("entry", "a_visitor_ticks_the_box_looks_round_and_must_register_to_bet"),
    ),
    *covered(
        "Refusals",
        ["product has been discontinued"],
        _WORDED,
        api("office_house", "a_switch_closes_its_rooms_and_a_running_round_finishes"),
        browser("lottery", "a_discontinued_product_is_named_in_the_lists_and_in_the_room"),
    ),
    *covered(
        "Refusals",
        ["forgot password, contact customer service"],
        _WORDED,
        browser("entry", "a_forgotten_password_leads_to_customer_service"),
    ),
    *covered(
        "Success",
        ["joined chat room successfully"],
        _WORDED,
        api("chat", "a_joining_member_is_welcomed_and_sees_messages_oldest_first"),
        browser("chat", "players_of_a_hall_receive_messages_and_see_their_own_marked"),
    ),
    *covered(
        "Refusals",
        ["system has muted you, choose to buy"],
        _WORDED,
        api("chat", "a_muted_member_is_notified_and_buys_as_before"),
        browser("chat", "removed_messages_vanish_and_muted_members_may_still_buy"),
    ),
]
