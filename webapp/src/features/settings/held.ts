import { useTranslations } from "use-intl";
import { usePayInfo, useSafety } from "../../api/standing.ts";
import type { LinkItem } from "../../components/LinkList.tsx";

type Said = Pick<LinkItem, "label" | "note">;
export type Held = Record<"card" | "wallet" | "code", Said>;

/** What of the account is there already, or is still to be bound; no note while it is not known. */
export function useHeld(): Held {
  const t = useTranslations("account");
  const card = usePayInfo(0).data?.account;
  const wallet = usePayInfo(1).data?.account;
  const code = useSafety().data?.isTrue;
  return {
    card: {
      label: t(card?.is_set ? "bankCardBound" : "bankCard"),
      note: card && (card.is_set ? card.acc : t("notSet")),
    },
    wallet: {
      label: t(wallet?.is_set ? "walletBound" : "wallet"),
      note: wallet && (wallet.is_set ? wallet.acc : t("notSet")),
    },
    code: {
      label: t("securityCode"),
      note: code === undefined ? undefined : t(code ? "isSet" : "notSet"),
    },
  };
}
