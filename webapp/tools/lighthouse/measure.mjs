/**
 * Loads one page in Chromium as Lighthouse's slow phone does, several times, each in a browser of
 * its own. Takes one JSON object on standard input: {chromium, flags, url, session, runs}, where
 * `session` is what the app keeps of who is signed in, "" for nobody. Answers with one JSON array
 * on standard output: per run the scores (0 to 100), the layout shift, LCP and blocking in ms, and
 * the audits of accessibility and best practices that are not clean.
 */
import { text } from "node:stream/consumers";
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";

const CATEGORIES = ["performance", "accessibility", "best-practices"];

const task = JSON.parse(await text(process.stdin));
const results = [];
for (let run = 0; run < task.runs; run++) results.push(await once(task));
process.stdout.write(JSON.stringify(results));

async function once({ chromium, flags, url, session }) {
  const browser = await puppeteer.launch({ executablePath: chromium, args: flags });
  try {
    const page = await browser.newPage();
    if (session !== "") await signIn(page, url, session);
    const options = { onlyCategories: CATEGORIES, formFactor: "mobile", disableStorageReset: true };
    const { lhr } = await lighthouse(url, options, undefined, page);
    if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
    return figures(lhr);
  } finally {
    await browser.close();
  }
}

/** The app finds who is signed in before its first script runs. */
async function signIn(page, url, session) {
  await page.evaluateOnNewDocument((kept) => {
    sessionStorage.setItem("fairdraw.session", kept);
  }, session);
  await page.setCookie({ name: "fairdraw_signed_in", value: "1", url });
}

function figures(lhr) {
  const score = (name) => Math.round((lhr.categories[name]?.score ?? 0) * 100);
  const number = (audit) => lhr.audits[audit]?.numericValue ?? Number.NaN;
  return {
    final_url: lhr.finalDisplayedUrl,
    performance: score("performance"),
    accessibility: score("accessibility"),
    best_practices: score("best-practices"),
    layout_shift: number("cumulative-layout-shift"),
    largest_paint_ms: number("largest-contentful-paint"),
    blocking_ms: number("total-blocking-time"),
    code_kb: codeKb(lhr),
    faults: faultsOf(lhr),
  };
}

/** JavaScript and CSS as they came over the wire. */
function codeKb(lhr) {
  const requests = lhr.audits["network-requests"]?.details?.items ?? [];
  const code = requests.filter(({ resourceType }) => /^(Script|Stylesheet)$/.test(resourceType));
  return code.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000;
}

function faultsOf(lhr) {
  return ["accessibility", "best-practices"].flatMap((category) =>
    lhr.categories[category].auditRefs
      .filter(({ id, weight }) => weight > 0 && (lhr.audits[id].score ?? 1) < 1)
      .map(({ id }) => id),
  );
}
