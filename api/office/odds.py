"""Request and response types of odds tables, and of decisions on proposals.

Their calls are in `house_settings.py`.
"""

from decimal import Decimal
from typing import Final

from msgspec import Struct

from api.http.call_request import StaffRequest
from api.http.field_types import At, Odds, Percent
from api.http.wire import odds, seconds
from engine.odds import TABLES, OddsTable, odds_on, return_ppm, warnings
from projections.house_settings import HouseSettings

_PPM_PER_PERCENT: Final = 10_000


class OddsProposalRequest(StaffRequest):
    """`table` is an odds table's id; it applies from the day after a colleague agrees."""

    table: str


class SettingDecisionRequest(StaffRequest):
    """`id` is a proposal of terms, receiving accounts or odds; its proposer cannot approve it."""

    id: str
    approve: bool


class BetReturn(Struct, frozen=True, rename={"kind": "class"}):
    """A bet's odds, its average return, and whether that is above 100 % or below 75 %."""

    kind: str
    odds: Odds
    return_percent: Percent
    warning: bool


class OddsTableView(Struct, frozen=True):
    """An odds table with the average return of every bet."""

    table: str
    bets: tuple[BetReturn, ...]


class OddsStart(Struct, frozen=True):
    """The first day (yyyy-mm-dd) on which this table applies."""

    day: str
    table: str


class OddsProposal(Struct, frozen=True):
    """A table that `by` has proposed; a second person agrees by its `id`."""

    id: str
    table: str
    at: At
    by: str


class OddsView(Struct, frozen=True):
    """The odds table of today, those of later days, the open proposal, and all tables.

    `by` agreed to the last change; it is empty if there was none.
    """

    table: str
    by: str
    next: tuple[OddsStart, ...]
    proposed: OddsProposal | None
    tables: tuple[OddsTableView, ...]


def odds_view(house: HouseSettings, day: str, default: str) -> OddsView:
    """Returns the odds on a calendar day; `default` is the table if staff set none."""
    it = house.odds_proposed
    return OddsView(
        odds_on(house.odds, day) or default,
        house.odds_by,
        tuple(OddsStart(each.day, each.table) for each in house.odds if each.day > day),
        OddsProposal(it.id, it.value, seconds(it.at), it.by) if it else None,
        tuple(_table(table) for table in TABLES.values()),
    )


def _table(table: OddsTable) -> OddsTableView:
    warned = warnings(table)
    return OddsTableView(
        table.id,
        tuple(
            BetReturn(
                kind,
                odds(table.odds_milli[kind]),
                Decimal(return_ppm(table, kind)) / _PPM_PER_PERCENT,
                kind in warned,
            )
            for kind in table.kinds
        ),
    )
