"""The profile: base information, pictures, invitations, and settings of the phone."""

import re
import struct
import zlib
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.browser.conftest import Phones
from tests.browser.house import Player, RunningServer
from tests.browser.phone import toast

QR_PX = 200
_buzzed = "sessionStorage.buzzed"
# A phone that records its vibrations, and one that cannot vibrate.
CAN_VIBRATE = f"navigator.vibrate = (ms) => {{ {_buzzed} = ms; return true }}"
CANNOT_VIBRATE = "Object.defineProperty(navigator, 'vibrate', { value: undefined })"


def test_base_information_is_requested_and_stored_once(
    members_phone: Page, member: Player, house: RunningServer
) -> None:
    phone = members_phone
    house.member().call("user/profile", idcard="S1234567D")
    phone.goto("personal")
    phone.get_by_role("link", name="Complete your personal details").click()
    expect(phone).to_have_url(re.compile(rf"/vip/baseinfo\?name={member.name}$"))
    facts = phone.locator("dl")
    expect(facts).to_have_text(re.compile(rf"Account name{member.name}Nickname{member.name}"))
    expect(facts.get_by_role("textbox")).to_have_count(0)
    form = phone.locator("form", has=phone.get_by_label("ID-card number"))
    number, save = form.get_by_role("textbox"), form.get_by_role("button", name="Save")
    save.click()
    expect(phone.get_by_text("Please enter your ID-card number")).to_be_visible()
    expect(number).to_be_focused()
    number.fill("---")
    save.click()
    expect(toast(phone)).to_have_text("The ID-card number must have 1 to 40 printable characters")
    expect(number).to_have_attribute("aria-invalid", "true")
    expect(number).to_have_value("---")
    # Another player's number gets the same answer, so that its owner stays private.
    number.fill("s1234567d")
    save.click()
    expect(toast(phone)).to_have_text("Submitted successfully")
    expect(number).to_have_count(0)
    expect(save).to_have_count(0)
    expect(facts).to_contain_text("****567d")
    phone.goto("personal")
    expect(phone.get_by_role("heading", name=member.name)).to_be_visible()
    expect(phone.get_by_text("1,000.00").first).to_be_visible()
    expect(phone.get_by_text("Complete your personal details")).to_have_count(0)


def _own_picture(page: Page) -> Locator:
    return page.get_by_role("link", name="Personal details").locator("img")


def test_a_default_picture_is_chosen_and_known_on_every_phone(
    members_phone: Page, member: Player, phones: Phones
) -> None:
    phone = members_phone
    phone.goto("baseinfo")
    phone.get_by_role("button", name="Change picture").click()
    phone.get_by_role("button", name="System default picture").click()
    expect(phone).to_have_url(re.compile(r"/vip/defaultAvatar$"))
    expect(phone.get_by_role("radio")).to_have_count(8)
    expect(phone.get_by_role("radio", checked=True)).to_have_count(1)
    phone.get_by_text("Panda").click()
    assert member.call("user/userInfo")["avatar"] == 1, "nothing is stored before it is confirmed"
    phone.get_by_role("button", name="Confirm").click()
    expect(toast(phone)).to_have_text("Set successfully")
    expect(phone).to_have_url(re.compile(r"/vip/baseinfo$"))
    assert member.call("user/userInfo")["avatar"] == 3
    other = phones(member=member)
    other.goto("personal")
    expect(_own_picture(other)).to_have_attribute("src", re.compile(r"/panda"))


def _png(width: int, height: int) -> bytes:
    """A picture with a red left half and a blue right half."""
    row = b"\0" + b"\xff\0\0" * (width // 2) + b"\0\0\xff" * (width - width // 2)
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * height)),
        (b"IEND", b""),
    ]
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _file(name: str, content: bytes) -> Any:
    return {"name": name, "mimeType": "image/png", "buffer": content}


def test_a_photo_stays_on_the_phone(members_phone: Page, member: Player, phones: Phones) -> None:
    phone = members_phone
    sent: list[Request] = []
    phone.on("request", lambda each: sent.append(each) if each.method != "GET" else None)
    phone.goto("baseinfo")
    phone.get_by_role("button", name="Change picture").click()
    sheet = phone.get_by_role("dialog", name="Change picture")
    expect(sheet).to_contain_text("A photo stays on this device")
    expect(sheet.get_by_label("Take photo")).to_have_attribute("capture", "user")
    album = sheet.get_by_label("From album")
    album.set_input_files(_file("words.png", b"no picture at all"))
    expect(toast(phone)).to_have_text("This file is not a picture that can be shown.")
    album.set_input_files(_file("wide.png", _png(600, 400)))
    expect(toast(phone)).to_have_text("Your photo is kept on this device")
    phone.goto("personal")
    picture = _own_picture(phone)
    expect(picture).to_have_attribute("src", re.compile("^data:image/jpeg"))
    assert picture.evaluate("(img) => [img.naturalWidth, img.naturalHeight]") == [256, 256]
    assert all("image" not in (each.post_data or "") for each in sent)
    other = phones(member=member)
    other.goto("personal")
    expect(_own_picture(other)).to_have_attribute("src", re.compile(r"/fox"))
    phone.goto("baseinfo")
    phone.get_by_role("button", name="Change picture").click()
    sheet.get_by_role("button", name="Remove photo").click()
    expect(phone.get_by_role("button", name="Change picture").locator("img")).to_have_attribute(
        "src", re.compile(r"/fox")
    )


def test_an_invitation_is_a_code_and_a_link_that_is_copied(
    phones: Phones, member: Player, house: RunningServer
) -> None:
    phone = phones(member=member, permissions=["clipboard-read", "clipboard-write"])
    phone.goto("shareFriend")
    link = f"{house.address}register?inviter_id={member.user_id}"
    expect(phone.get_by_text(link)).to_be_visible()
    code = phone.get_by_role("img", name="QR code of your invitation link")
    box = code.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (QR_PX, QR_PX)
    phone.get_by_role("button", name="Copy link").click()
    expect(toast(phone)).to_have_text("Link copied to clipboard")
    copied = phone.evaluate("navigator.clipboard.readText()")
    assert copied == link
    friend = phones()
    friend.goto(copied)
    expect(friend.get_by_label("Invitation code")).to_have_value(member.user_id)


def test_a_link_is_copied_where_there_is_no_clipboard(members_phone: Page) -> None:
    """Over plain http, as in a demo on a local network."""
    phone = members_phone
    phone.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    phone.goto("shareFriend")
    phone.evaluate(
        "document.addEventListener('copy', () =>"
        " { sessionStorage.copied = document.activeElement.value })"
    )
    phone.get_by_role("button", name="Copy link").click()
    expect(toast(phone)).to_have_text("Link copied to clipboard")
    assert "/vip/register?inviter_id=" in phone.evaluate("sessionStorage.copied")


def test_the_action_center_has_three_pictures_with_words(members_phone: Page) -> None:
    members_phone.goto("actionCenter")
    pictures = members_phone.get_by_role("img")
    expect(pictures).to_have_count(3)
    for at in range(3):
        expect(pictures.nth(at)).to_have_js_property("naturalWidth", 720)
        expect(pictures.nth(at)).not_to_have_attribute("alt", "")


def test_vibration_and_sound_begin_off_and_are_remembered(members_phone: Page) -> None:
    phone = members_phone
    phone.add_init_script(CAN_VIBRATE)
    phone.goto("system")
    vibration = phone.get_by_role("switch", name="Vibrate on profit")
    sound = phone.get_by_role("switch", name="Sound on profit")
    expect(vibration).not_to_be_checked()
    expect(sound).not_to_be_checked()
    vibration.check()
    assert int(phone.evaluate(_buzzed)) > 0
    phone.reload()
    expect(vibration).to_be_checked()
    expect(sound).not_to_be_checked()
    vibration.uncheck()
    phone.reload()
    expect(vibration).not_to_be_checked()


def test_a_phone_that_cannot_vibrate_is_reported(members_phone: Page) -> None:
    members_phone.add_init_script(CANNOT_VIBRATE)
    members_phone.goto("system")
    expect(members_phone.get_by_role("switch", name="Vibrate on profit")).to_be_disabled()
    expect(members_phone.get_by_text("This phone or browser cannot vibrate.")).to_be_visible()


def test_clearing_the_cache_keeps_session_and_settings(members_phone: Page, member: Player) -> None:
    phone = members_phone
    phone.goto("setting?type=1")
    expect(phone.get_by_text("Current version")).to_be_visible()
    expect(phone.get_by_text("21.04.02")).to_be_visible()
    phone.get_by_role("tab", name="Light").click()
    phone.evaluate("caches.open('pages').then((cache) => cache.put('/x', new Response('x')))")
    phone.get_by_role("button", name="Clear cache").click()
    expect(toast(phone)).to_contain_text("Cache cleared. You stay logged in")
    assert phone.evaluate("caches.keys()") == []
    phone.goto("personal")
    expect(phone.get_by_role("heading", name=member.name)).to_be_visible()
    expect(phone.locator("html")).to_have_attribute("data-theme", "light")


@pytest.mark.parametrize("line", [1, 2])
def test_a_line_is_chosen_by_its_button_and_the_page_goes_back(
    members_phone: Page, line: int
) -> None:
    phone = members_phone
    phone.goto("setting?type=1")
    phone.get_by_role("link", name="Change line").click()
    rows = phone.get_by_role("listitem")
    expect(rows.first).to_contain_text("Current line")
    rows.nth(line - 1).get_by_role("button", name="Start investing").click()
    expect(toast(phone)).to_have_text(f"Switched to line {line}")
    expect(phone).to_have_url(re.compile(r"/vip/setting\?type=1$"))
    phone.goto("changeline")
    expect(rows.nth(line - 1)).to_contain_text("Current line")
    expect(phone.get_by_text("Current line")).to_have_count(1)
