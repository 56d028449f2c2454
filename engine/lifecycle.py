"""The lifecycle of what staff decide: one declaration per fact of what it does to its item.

Three readers derive from it: the writer's open payments (`engine/cashier/payment_state.py`), the
status in the answer to a command (`engine/command_handler.py`) and the requests that staff see
(`projections/approvals.py`). An item is a deposit, a withdrawal, a gift, an adjustment or an
account change. It is known by its player, kind and id.
"""

from enum import Enum, auto
from typing import Any, Final

from msgspec import Struct

from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    CorrectionApproved,
    CorrectionProposed,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    GiftProposed,
    GiftRejected,
    RepeatEndorsed,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.players.commands import ERASURE, PASSWORD_RESET
from engine.players.facts import (
    AccountChangeProposed,
    AccountChangeRejected,
    MemberErased,
    PasswordReset,
)

DEPOSIT: Final = "deposit"
WITHDRAWAL: Final = "withdrawal"
ADJUSTMENT: Final = "adjustment"
GIFT: Final = "gift"

REQUESTED: Final = "requested"
ENDORSED: Final = "endorsed"
APPROVED: Final = "approved"
PAID: Final = "paid"
REJECTED: Final = "rejected"
RETURNED: Final = "returned"

#: Why a deposit was rejected before money arrived: staff refused it, or a newer order replaced it.
REFUSED: Final = "refused"
REPLACED: Final = "replaced"

#: The kind of an item whose facts have it in their field `kind`.
_OWN: Final = ""
_ROLES: Final = {REQUESTED: "requested", ENDORSED: "endorsed", PAID: "paid"}


class Unrequested(Enum):
    """What a fact means whose item is not open."""

    IMPOSSIBLE = auto()
    REQUESTS = auto()
    NO_ITEM = auto()


class Step(Struct, frozen=True):
    """What a fact does to its item; `status` is the status after it.

    The fact has the item's id in `id_field`, by default the field with the name of the kind. The
    item gets the fact's `copied` fields, and as `renamed` (new name: name in the fact) those that
    have a different name in the item.
    """

    kind: str
    status: str
    copied: tuple[str, ...] = ()
    renamed: dict[str, str] = {}
    id_field: str = ""
    unrequested: Unrequested = Unrequested.IMPOSSIBLE

    @property
    def role(self) -> str:
        """What the person behind the fact did: requested, endorsed, decided or paid."""
        return _ROLES.get(self.status, "decided")

    @property
    def closes(self) -> bool:
        """Whether nothing can follow; an approved withdrawal is open until it is paid."""
        payable = self.kind == WITHDRAWAL and self.status == APPROVED
        return self.status not in {REQUESTED, ENDORSED} and not payable

    def item(self, fact: Any) -> tuple[str, str]:
        """The kind and the id of the fact's item."""
        kind = self.kind or fact.kind
        return kind, getattr(fact, self.id_field or kind)

    def status_after(self, fact: Any) -> str:
        """The item's status after the fact: a deposit is returned if its money had arrived."""
        arrived = isinstance(fact, DepositRejected) and fact.cause not in {REFUSED, REPLACED}
        return RETURNED if arrived else self.status

    def changes(self, fact: Any, actor: str = "") -> dict[str, Any]:
        """The fields of the item after the fact, as far as it changes them.

        A fact that names no person is by the `actor` of its command.
        """
        changed = {name: getattr(fact, name) for name in self.copied}
        changed |= {name: getattr(fact, source) for name, source in self.renamed.items()}
        changed["status"] = self.status_after(fact)
        changed[f"{self.role}_by"] = getattr(fact, "by", actor)
        return changed


_PAYMENT = ("channel", "amount_minor", "reference_commitment")
_PROPOSAL = ("amount_minor", "reason_commitment")
# Staff may enter money that was not announced: it is requested and decided in one step.
_ENTERED = Unrequested.REQUESTS

#: What each fact does to its item. A fact that is not listed changes none.
STEPS: Final[dict[type[Any], Step]] = {
    DepositRequested: Step(DEPOSIT, REQUESTED, _PAYMENT),
    DepositEndorsed: Step(DEPOSIT, ENDORSED),
    RepeatEndorsed: Step(DEPOSIT, ENDORSED, renamed={"repeat_endorsed_by": "by"}),
    DepositApproved: Step(DEPOSIT, APPROVED, _PAYMENT, unrequested=_ENTERED),
    DepositRejected: Step(
        DEPOSIT,
        REJECTED,
        ("channel", "amount_minor", "cause", "reason_commitment"),
        unrequested=_ENTERED,
    ),
    WithdrawalRequested: Step(WITHDRAWAL, REQUESTED, ("method", "account", "amount_minor")),
    WithdrawalEndorsed: Step(WITHDRAWAL, ENDORSED),
    WithdrawalApproved: Step(WITHDRAWAL, APPROVED),
    WithdrawalPaid: Step(WITHDRAWAL, PAID, ("channel", "reference_commitment")),
    WithdrawalRejected: Step(WITHDRAWAL, REJECTED, ("reason_commitment",)),
    GiftProposed: Step(GIFT, REQUESTED, _PROPOSAL),
    # A gift that needed no second person was never proposed.
    GiftGranted: Step(GIFT, APPROVED, unrequested=Unrequested.NO_ITEM),
    GiftRejected: Step(GIFT, REJECTED),
    AdjustmentProposed: Step(ADJUSTMENT, REQUESTED, _PROPOSAL),
    CorrectionProposed: Step(
        ADJUSTMENT, REQUESTED, _PROPOSAL, {"correction": "kind", "corrected_channel": "channel"}
    ),
    AdjustmentApproved: Step(ADJUSTMENT, APPROVED),
    CorrectionApproved: Step(ADJUSTMENT, APPROVED),
    AdjustmentRejected: Step(ADJUSTMENT, REJECTED),
    AccountChangeProposed: Step(_OWN, REQUESTED, ("reason_commitment",), id_field="change"),
    AccountChangeRejected: Step(_OWN, REJECTED, id_field="change"),
    PasswordReset: Step(PASSWORD_RESET, APPROVED, id_field="change"),
    MemberErased: Step(ERASURE, APPROVED, id_field="change"),
}
