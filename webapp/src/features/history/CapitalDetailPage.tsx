import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import type { LedgerEntry } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { IconButton } from "../../components/Button.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { useBetText } from "../../i18n/names.ts";
import { NAMED_KINDS } from "../../lib/betKinds.ts";
import { formatTime } from "../../lib/dates.ts";
import { saveFile } from "../../lib/saveFile.ts";
import { useSession } from "../../lib/session.ts";
import { AccountEvidence } from "./AccountEvidence.tsx";
import { datesOf, emptyFilter, FilterDrawer, RangeHead, typeOf } from "./FilterDrawer.tsx";
import { PAGE_ROWS, RowList, usePages } from "./RowList.tsx";
import styles from "./Rows.module.css";
import { type Period, readStatement } from "./statement.ts";

const TYPES = ["deposit", "withdraw", "purchase", "profitType", "gift"] as const;
const STATUSES = ["notPassed", "passed", "rejected"] as const;

/** The fund ledger: every movement of the available balance, newest first. */
export default function CapitalDetailPage() {
  const t = useTranslations("history");
  const [filter, setFilter] = useState(emptyFilter);
  const [drawer, setDrawer] = useState(false);
  const userId = useSession((session) => session.userId);
  const dates = datesOf(filter);
  const body = { ...dates, ...typeOf(filter) };
  const entries = usePages<LedgerEntry>(["ledger", userId, body], (cursor, signal) =>
    call(
      "user/quantityLogList",
      { ...body, limit: PAGE_ROWS, ...(cursor && { cursor }) },
      { signal },
    ),
  );
  const empty = entries.rows?.length === 0;
  useEffect(() => {
    if (empty) toast(t("noData"));
  }, [empty, t]);
  return (
    <Page
      body="fixed"
      top={
        <TopBar
          title={t("ledger")}
          right={
            <>
              <ExportButton period={body} />
              <IconButton icon="filter" label={t("filter")} onClick={() => setDrawer(true)} />
            </>
          }
        />
      }
    >
      <RowList
        pages={entries}
        empty={t("noLedger")}
        head={
          <div className={styles.head}>
            <RangeHead {...dates} />
            <AccountEvidence />
          </div>
        }
        row={(entry) => <EntryRow key={entry.id} entry={entry} />}
      />
      <FilterDrawer
        open={drawer}
        onClose={() => setDrawer(false)}
        filter={filter}
        onConfirm={setFilter}
        types={[t("all"), ...TYPES.map((type) => t(type))]}
        typesLabel={t("type")}
      />
    </Page>
  );
}

/** Saves what the filter lets through as a file for a spreadsheet. */
function ExportButton({ period }: { period: Period }) {
  const t = useTranslations("history");
  const fail = useErrorToast();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const { name, content, rows } = await readStatement(period);
      saveFile(name, content, "text/csv;charset=utf-8");
      toast(t("exported", { count: rows, name }), "good");
    } catch (error) {
      fail(error);
    }
    setBusy(false);
  };
  return (
    <IconButton
      icon="download"
      label={t("export")}
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={save}
    />
  );
}

/** A deposit that has not passed, or never will, is no gain yet. */
const isMoved = ({ type, status }: LedgerEntry) => type !== 0 || STATUSES[status] === "passed";

function EntryRow({ entry }: { entry: LedgerEntry }) {
  const t = useTranslations("history");
  const markText = useMarkText();
  const moved = isMoved(entry);
  return (
    <li className={styles.row} data-moved={moved}>
      <b>{t(TYPES[entry.type])}</b>
      <Amount value={entry.quantity} signed className={styles.figure} />
      <p className={styles.wide}>
        <small>{markText(entry.mark)}</small>
        <small>{t(STATUSES[entry.status])}</small>
      </p>
      <small>{formatTime(entry.createtime)}</small>
      <small className={styles.figure}>
        {t(moved ? "after" : "unchanged")} <Amount value={entry.over} />
      </small>
    </li>
  );
}

/** A ledger remark as the server writes it: game, round, a comma of the language, the bet. */
const BET_MARK = /^(.*\d(?:, |，|、))(.+)$/;

/** A ledger mark whose bet is named as everywhere else; any other mark as it is. */
function useMarkText(): (mark: string) => string {
  const t = useTranslations("common.kinds");
  const text = useBetText();
  return (mark) => {
    const [, round, named] = BET_MARK.exec(mark) ?? [];
    if (round === undefined || named === undefined) return mark;
    const kind = /^\d+$/.test(named) ? named : NAMED_KINDS.find((each) => t(each) === named);
    // Both names of a bet stay on one line.
    return kind === undefined
      ? mark
      : round + text(kind).replaceAll(" ", "\u00a0").replaceAll("-", "-\u2060");
  };
}
