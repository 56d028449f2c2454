import type { PageTexts } from "../en/pageTexts.ts";
import type { SameKeys } from "../sameKeys.ts";
import account from "./account.ts";
import charts from "./charts.ts";
import checks from "./checks.ts";
import entry from "./entry.ts";
import fairness from "./fairness.ts";
import history from "./history.ts";
import lottery from "./lottery.ts";
import money from "./money.ts";
import news from "./news.ts";
import profile from "./profile.ts";
import protection from "./protection.ts";
import rules from "./rules.ts";
import security from "./security.ts";
import service from "./service.ts";
import statistics from "./statistics.ts";

export default {
  account,
  charts,
  checks,
  entry,
  fairness,
  history,
  lottery,
  money,
  news,
  profile,
  protection,
  rules,
  security,
  service,
  statistics,
} satisfies SameKeys<PageTexts>;
