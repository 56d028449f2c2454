"""Field types of requests and responses: money, times, counts and ids, each defined once.

The types annotate fields for the OpenAPI description and check nothing themselves: each handler
decides what it refuses, and with which refusal.
"""

from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from api.http.wire import DecimalInput
from api.messages import DEFAULT, LOCALES
from engine.catalogue import KINDS
from engine.runtime.vault import MAX_TEXT_LENGTH

#: The schema key for the unit of a number.
UNIT: Final = "x-unit"


def _meant(description: str, unit: str, **limits: object) -> Meta:
    return Meta(description=description, extra_json_schema={UNIT: unit, **limits})


def _choice(description: str, *values: int) -> Meta:
    return Meta(description=description, extra_json_schema={"enum": list(values)})


def _text(description: str, **limits: object) -> Meta:
    return Meta(description=description, extra_json_schema=limits)


_U: Final = "u, at most two decimals"
Money = Annotated[Decimal, _meant(_U, "u")]
MoneyInput = Annotated[DecimalInput, _meant(_U, "u", type="number")]
Amount = Annotated[Any, _meant(f"{_U}; also as text", "u", type=["number", "string", "null"])]
Odds = Annotated[Decimal, _meant("Odds, the stake included, at most three decimals", "odds")]
Profit = Annotated[Decimal, _meant("u won with 1 u, the stake not included", "u")]
Percent = Annotated[Decimal, _meant("Percent", "percent")]
Permille = Annotated[int, _meant("Thousandths", "thousandths", minimum=0)]
MinorUnits = Annotated[int, _meant("Minor units: 100 = 1 u", "minor units")]
OddsMilli = Annotated[int, _meant("Odds in thousandths, the stake included", "thousandths")]

At = Annotated[int, _meant("Whole seconds since 1970 (UTC)", "seconds since 1970")]
AtMs = Annotated[int, _meant("Milliseconds since 1970 (UTC)", "milliseconds since 1970")]
AtUs = Annotated[int, _meant("Microseconds since 1970 (UTC)", "microseconds since 1970")]
DurationUs = Annotated[int, _meant("Microseconds", "microseconds", minimum=0)]
Seconds = Annotated[int, _meant("Seconds", "seconds", minimum=0)]
Minutes = Annotated[int, _meant("Minutes", "minutes", minimum=0)]
MinuteOfDay = Annotated[int, _meant("Minutes after midnight", "minutes", minimum=0, maximum=1439)]
Hours = Annotated[int, _meant("Hours", "hours", minimum=1)]
Days = Annotated[int, _meant("Days", "days", minimum=1)]
Years = Annotated[int, _meant("Years", "years", minimum=0)]

Count = Annotated[int, _meant("Count", "count", minimum=0)]
Id = Annotated[int, _meant("Id", "id")]
GameId = Annotated[int, _meant("Id of a game, 1 to 4", "id")]
GameOrAll = Annotated[int, _meant("Id of a game, 1 to 4; 0 for all games together", "id")]
PlanId = Annotated[int, _meant("Id of a hall, a plan of a game, 1 to 36", "id")]
PlayerId = Annotated[int, _meant("Id of a player", "id")]
Level = Annotated[int, _meant("Number of a level: 1 senior, 2 master, 3 expert; 0 none", "id")]
Avatar = Annotated[int, _meant("Number of one of the eight avatars", "id", minimum=0, maximum=8)]
Position = Annotated[int, _meant("Position in the log; it increases with time", "count")]
Version = Annotated[
    int,
    _meant("Number of facts of the player; of two balances the higher is newer", "count"),
]
Deviations = Annotated[float, _meant("Standard deviations, rounded to thousandths", "deviations")]
ChiSquare = Annotated[float, _meant("A chi-square statistic", "chi-square", minimum=0)]
Probability = Annotated[float, _meant("A probability", "probability", minimum=0, maximum=1)]
Digit = Annotated[int, _meant("Digit drawn", "digit", minimum=0, maximum=9)]
Total = Annotated[int, _meant("Sum of the three digits", "sum", minimum=0, maximum=27)]

Flag = Annotated[int, _choice("1 yes, 0 no", 0, 1)]
OpenFlag = Annotated[int, _choice("1 open, 0 closed by staff", 0, 1)]
Tier = Annotated[int, _choice("0 ordinary, 1 mid-level, 2 high-level", 0, 1, 2)]
Room = Annotated[int, _choice("0 VIP1, 1 VIP2, 2 VIP3", 0, 1, 2)]
Group = Annotated[int, _choice("1 member, 2 guest", 1, 2)]
PayoutType = Annotated[int, _choice("0 bank card, 1 wallet", 0, 1)]
OrderStatus = Annotated[int, _choice("0 accepted, 1 settled, 2 recalled, 3 voided", 0, 1, 2, 3)]
EntryType = Annotated[
    int, _choice("0 deposit, 1 withdraw, 2 purchase, 3 profit, 4 gift", 0, 1, 2, 3, 4)
]
EntryStatus = Annotated[int, _choice("0 not passed yet, 1 passed, 2 rejected", 0, 1, 2)]
#: A filter left empty, as forms and the specification's client send it.
NoFilter = Literal[""]
Format = Annotated[int, _choice("Version of the format", 1)]

Issue = Annotated[str | int, _meant("A round's public number", "id", maxLength=64)]
PlayType = Annotated[str | int, _meant(f"A bet kind: one of {', '.join(KINDS)}", "id")]
PlanName = Annotated[str | int, _meant("Id of a hall, or any other name of it", "id")]
PlayerName = Annotated[str | int, _meant("A user name or a player id", "id")]
Inviter = Annotated[str | int, _meant("The inviter's player id", "id")]
CardNumber = Annotated[str | int, _meant("A card's number or a wallet's address", "id")]
ArticleId = Annotated[str | int, _meant("Id of an article", "id", maxLength=128)]
Code = Annotated[str | int, _meant("Six digits", "id", pattern="^[0-9]{6}$")]

Day = Annotated[str, _text("yyyy-mm-dd", pattern="^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")]
PageSize = Annotated[
    int, _meant("Maximum number of rows, 1 to 1,000", "count", minimum=1, maximum=1000)
]
Cursor = Annotated[str, _text("The `cursor` of the previous page")]
Language = Annotated[str, _text(f"One of {', '.join(LOCALES)}; any other value is {DEFAULT}")]
UserName = Annotated[
    str,
    _text(
        "6 to 16 letters and digits, at least one of each",
        pattern="^(?=.*[A-Za-z])(?=.*[0-9])[A-Za-z0-9]{6,16}$",
    ),
]
Password = Annotated[str, _text("8 to 64 characters", minLength=8, maxLength=64)]
Words = Annotated[
    str, _text(f"1 to {MAX_TEXT_LENGTH} characters", minLength=1, maxLength=MAX_TEXT_LENGTH)
]
