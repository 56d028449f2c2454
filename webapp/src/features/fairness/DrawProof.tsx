import { useRef } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { formatClock } from "../../lib/dates.ts";
import { saveFile } from "../../lib/saveFile.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./DrawProof.module.css";
import { roundEvidence, roundEvidenceName } from "./evidence.ts";
import { ProofBody } from "./ProofBody.tsx";
import { useProof } from "./useProof.ts";
import type { ProofRequest } from "./verdict.ts";

const FIRST_GAME = 1;

/** Over the list of draws: the proof of the one that the query's `issue` names. */
export default function DrawProof() {
  const t = useTranslations("fairness");
  const [query] = useSearchParams();
  const player = useSession((session) => session.userId);
  const asked: ProofRequest = {
    game_id: Number(query.get("game_id")) || FIRST_GAME,
    issue: query.get("issue") ?? "",
    player,
  };
  const proof = useProof(asked);
  const close = useClose();
  const evidence = proof.data && roundEvidence(proof.data, asked);
  return (
    <Sheet
      open={asked.issue !== ""}
      onClose={close}
      title={t("title")}
      actions={
        evidence && (
          <Button
            className={styles.download}
            onClick={() => saveFile(roundEvidenceName(asked), evidence, "application/json")}
          >
            {t("download")}
          </Button>
        )
      }
    >
      <Inside asked={asked} proof={proof} />
    </Sheet>
  );
}

function Inside({ asked, proof }: { asked: ProofRequest; proof: ReturnType<typeof useProof> }) {
  const common = useTranslations("common");
  const failure = useErrorText();
  const { data, error, dataUpdatedAt, refetch } = proof;
  if (data) {
    return (
      <>
        {error && (
          <p className={styles.stale} role="status">
            {failure(error)} {common("stale", { time: formatClock(dataUpdatedAt / 1000) })}
          </p>
        )}
        <ProofBody proof={data} asked={asked} />
      </>
    );
  }
  if (!error) return <Skeleton />;
  return (
    <EmptyState
      icon="alert"
      text={failure(error)}
      action={common("reload")}
      onAction={() => refetch()}
    />
  );
}

/** Back to the list: a step back in history where the list was before, so that none is doubled. */
function useClose(): () => void {
  const { state, key, search } = useLocation();
  const navigate = useNavigate();
  const left = useRef("");
  return () => {
    // The dialog fires another close event when it closes because the issue was removed.
    const query = new URLSearchParams(search);
    if (!query.has("issue") || left.current === key) return;
    left.current = key;
    if (state?.overList === true) {
      navigate(-1);
      return;
    }
    query.delete("issue");
    navigate({ search: query.toString() }, { replace: true });
  };
}
