"""An old client and its account: sessions, identity, payout accounts, withdrawals."""

import time
from typing import Any

import pytest

from tests.contract import entities as of
from tests.contract.client import OldClient, Rejected, Reloaded

PASSWORD = "pass-word-21"
CODE = "402917"
WALLET = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"


def _card() -> dict[str, Any]:
    number = f"6222{time.time_ns()}"
    return {
        "acc": number,
        "acc_name": "Grace Hopper",
        "acc_bank": "Bank One",
        "mark": "",
        "type": 0,
    }


def test_registering_and_logging_in_answer_alike(phones: Any, name: str) -> None:
    first, second = phones(), phones()
    fields = {"username": name, "password": PASSWORD, "group_id": 1, "inviter_id": ""}
    joined = of.is_a(of.USERINFO, first.signed_in("user/register", **fields))
    assert "taken" in second.refusal("user/register", **fields)
    assert second.refusal("user/login", account=name, password="not-the-one")
    entered = of.is_a(of.USERINFO, second.signed_in("user/login", account=name, password=PASSWORD))
    assert entered["user_id"] == joined["user_id"]
    assert entered["token"] != joined["token"]


def test_a_registration_that_was_not_answered_in_time_is_made_once(
    phone: OldClient, name: str, frozen: Any
) -> None:
    fields = {"username": name, "password": PASSWORD, "group_id": 1, "inviter_id": ""}
    with frozen(phone):
        phone.signed_in("user/register", **fields)
    assert phone.attempts.count("user/register") > 1
    assert phone.envelope("user/userInfo")["msg"]["username"] == name


def test_an_inviters_code_is_the_id_in_the_invite_link(phones: Any, name: str) -> None:
    inviter, friend = phones(), phones()
    fields = {"password": PASSWORD, "group_id": 1}
    joined = inviter.signed_in("user/register", username=name, inviter_id="", **fields)
    code = inviter.envelope("user/userInfo")["msg"]["incode"]
    assert code == str(joined["user_id"])
    friend.signed_in("user/register", username=f"{name}b", inviter_id=code, **fields)
    unknown = {"username": f"{name}c", "inviter_id": "999999999", **fields}
    assert phones().refusal("user/register", **unknown) == "The invitation code is unknown"


def test_an_invalid_session_reloads_the_page(phones: Any, name: str) -> None:
    here, elsewhere = phones(), phones()
    fields = {"username": name, "password": PASSWORD, "group_id": 1, "inviter_id": ""}
    here.signed_in("user/register", **fields)
    elsewhere.signed_in("user/login", account=name, password=PASSWORD)
    elsewhere.post("user/newPass", new_pass="another-word-1", after_pass=PASSWORD)
    with pytest.raises(Reloaded) as signed_out:
        here.post("user/userInfo")
    assert signed_out.value.code == 50012
    with pytest.raises(Reloaded) as unknown:
        here.post("user/userInfo")  # the reload has cleared the token
    assert unknown.value.code == 50008


def test_the_password_changes_for_who_knows_the_old_one(member: OldClient, name: str) -> None:
    change = {"new_pass": "another-word-1", "after_pass": "not-the-one"}
    assert member.refusal("user/newPass", **change) == "The old password is wrong"
    member.post("user/newPass", **{**change, "after_pass": PASSWORD})
    member.signed_in("user/login", account=name, password="another-word-1")
    assert member.refusal("user/login", account=name, password=PASSWORD)


def test_missing_withdrawal_requirements_are_requested_in_order(member: OldClient) -> None:
    body: dict[str, Any] = {"type": 0, "money": "", "securityCode": CODE}
    messages = [member.refusal("user/withdrawAction", **body)]
    member.post("user/profile", idcard=f"S{time.time_ns()}")
    messages.append(member.refusal("user/withdrawAction", **body))
    member.post("user/setPayInfo", **_card())
    messages.append(member.refusal("user/withdrawAction", **body))
    member.post("user/setSafety", new_code=CODE, after_code="")
    rest = ({"money": ""}, {"money": 99}, {"money": 100}, {"money": 100, "securityCode": "402916"})
    messages += [member.refusal("user/withdrawAction", **{**body, **fields}) for fields in rest]
    assert messages == [
        "Please complete your personal details first",
        "Please add a bank card or wallet first",
        "Please set a security code first",
        "Please enter the withdrawal amount",
        "The minimum withdrawal is 100",
        "A new payout account or security code can be used for withdrawals after its waiting time",
        "The security code is wrong",
    ]
    info = of.is_a(of.WITHDRAW_INFO, member.post("user/withdrawInfo"))
    assert info["money"] == member.envelope("user/userInfo")["msg"]["money"]


def test_both_payout_accounts_are_kept_and_shown_masked(member: OldClient) -> None:
    for kind in (0, 1):
        assert of.is_a(of.PAY_INFO, member.post("user/payInfo", type=kind))["acc"] == ""
    card = _card()
    member.post("user/setPayInfo", **card)
    member.post("user/setPayInfo", acc=WALLET, acc_name="trc20", acc_bank="", mark="", type=1)
    bank = of.is_a(of.PAY_INFO, member.post("user/payInfo", type=0))
    assert bank["acc_bank"] == "Bank One"
    assert bank["acc_name"].startswith("Gra****")
    assert "Hopper" not in bank["acc_name"]
    assert bank["acc"].endswith(card["acc"][-4:])
    assert card["acc"] not in bank["acc"]
    wallet = of.is_a(of.PAY_INFO, member.post("user/payInfo", type=1))
    assert wallet["acc_name"] == "trc20"
    assert wallet["acc"] != WALLET
    choices = member.post("user/withdrawInfo")["pay_list"]
    of.is_a(of.BANK_CHOICE, choices[0])
    of.is_a(of.WALLET_CHOICE, choices[1])


@pytest.mark.parametrize("missing", ["acc", "acc_name", "acc_bank"])
def test_a_card_without_one_of_its_fields_is_refused(member: OldClient, missing: str) -> None:
    assert member.refusal("user/setPayInfo", **{**_card(), missing: ""})


def test_a_wallet_type_is_an_address_type_of_usdt(member: OldClient) -> None:
    wallet = {"acc": WALLET, "acc_name": "gold", "acc_bank": "", "mark": "", "type": 1}
    assert member.refusal("user/setPayInfo", **wallet)


def test_a_security_code_has_six_digits_and_is_changed_by_the_old_one(member: OldClient) -> None:
    assert of.is_a(of.SAFETY, member.post("user/safetyInfo"))["isTrue"] in (False, 0)
    assert member.refusal("user/setSafety", new_code="12345", after_code="")
    member.post("user/setSafety", new_code=CODE, after_code="")
    assert member.post("user/safetyInfo")["isTrue"] in (True, 1)
    assert member.refusal("user/setSafety", new_code="730164", after_code="111111")
    member.post("user/setSafety", new_code="730164", after_code=CODE)


def test_an_id_card_number_is_stored_once_and_a_failure_has_a_reason(member: OldClient) -> None:
    assert member.refusal("user/profile", idcard="")
    member.post("user/profile", idcard=f"S{time.time_ns()}")
    assert member.refusal("user/profile", idcard="another")
    assert member.envelope("user/userInfo")["msg"]["idcard"]


def test_the_deposit_page_names_where_to_pay(member: OldClient) -> None:
    info = of.is_a(of.DEPOSIT_INFO, member.post("user/recharge"))
    assert info["money"] == member.envelope("user/userInfo")["msg"]["money"]


def test_a_call_without_its_fields_is_rejected_with_the_envelope(member: OldClient) -> None:
    with pytest.raises(Rejected) as rejected:
        member.post("Lottery/playOrder")
    assert rejected.value.code not in (1, 200, 50008, 50012, 50014)
    assert rejected.value.msg
