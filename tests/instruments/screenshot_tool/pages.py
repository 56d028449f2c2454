"""Every page to take, and the player who views it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """A page by the name of its picture; `press` has the selectors to press in order.

    `{order}` in a path is replaced by the player's newest bet, `{issue}` by its round.
    """

    name: str
    path: str
    signed_in: bool = True
    press: tuple[str, ...] = ()


def by_test_id(*ids: str) -> tuple[str, ...]:
    """Selectors of these test ids."""
    return tuple(f"[data-testid={one}]" for one in ids)


VIEWS = (
    View("home-visitor", "", signed_in=False),
    View("login", "login", signed_in=False),
    View("register", "register?inviter_id=1", signed_in=False),
    View("language", "language", signed_in=False),
    View("home", ""),
    View("personal", "personal"),
    View("setting-1", "setting?type=1"),
    View("setting-2", "setting?type=2"),
    View("setting-3", "setting?type=3"),
    View("setting-3-progress", "setting?type=3&part=progress"),
    View("setting-4", "setting?type=4"),
    View("changeline", "changeline"),
    View("about", "about"),
    View("system", "system"),
    View("baseinfo", "baseinfo"),
    View("defaultAvatar", "defaultAvatar"),
    View("bankCardManage-0", "bankCardManage?type=0"),
    View("bankCardManage-1", "bankCardManage?type=1"),
    View("addBankCard", "addBankCard"),
    View("addVirtualWallet", "addVirtualWallet"),
    View("setSecurityCode-false", "setSecurityCode?isTrue=false"),
    View("setSecurityCode-true", "setSecurityCode?isTrue=true"),
    View("changePassword", "changePassword"),
    View("actionCenter", "actionCenter"),
    View("shareFriend", "shareFriend"),
    View("notice", "notice"),
    View("betRecord", "betRecord"),
    View("betDetail", "betDetail?item={order}"),
    View("capitalDetail", "capitalDetail"),
    View("withdraw", "withdraw"),
    View("recharge", "recharge"),
    View("find", "find"),
    View("lottery", "lottery?id=0"),
    View("lotterytwo", "lotterytwo"),
    View("lotterythree", "lotterythree"),
    View("betRoom", "betRoom?id=1&game_id=1"),
    View(
        "betRoom-buy",
        "betRoom?id=1&game_id=1",
        press=by_test_id("buy-open", "odds-big", "odds-small_odd"),
    ),
    View(
        "betRoom-numbers",
        "betRoom?id=1&game_id=1",
        press=by_test_id("buy-open", "tab-numbers", "odds-13"),
    ),
    View("betRoom-chat", "betRoom?id=1&game_id=1", press=("[role=tab]:nth-child(3)",)),
    View("lotteryDetail", "lotteryDetail?game_id=1"),
    View("lotteryDetail-proof", "lotteryDetail?game_id=1&issue={issue}"),
    View("lotteryExplain", "lotteryExplain"),
    View("trendChart", "trendChart?game_id=1"),
    View("statistics", "statistics"),
    View("fairness", "fairness", signed_in=False),
    View("moreNews", "moreNews"),
    View("aticleDetail", "aticleDetail?id=checking-a-draw"),
    View("no-such-page", "no-such-page"),
)

BUSIEST = frozenset(
    {
        *("home", "register", "personal", "lottery", "betRoom", "betRoom-buy", "betRecord"),
        *("capitalDetail", "recharge", "withdraw", "find", "setting-3"),
    }
)
