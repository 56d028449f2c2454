import type { ReactNode } from "react";
import type { Article } from "../../api/types.ts";

/** Three balls above the tree that proves them. */
function Draw(): ReactNode {
  return (
    <>
      <path d="M18 66V58h30v-8M78 66V58H48M33 66v-8M63 66v-8" />
      <g fill="var(--gold)" stroke="none">
        {[18, 33, 63, 78].map((x) => (
          <rect key={x} x={x - 5} y="65" width="10" height="10" rx="3" />
        ))}
        <circle cx="48" cy="32" r="15" />
      </g>
      <circle cx="19" cy="34" r="9" />
      <circle cx="77" cy="34" r="9" />
      <path d="M41 32.5l5 5.5 9.5-10.5" stroke="var(--gold-soft)" strokeWidth="4" />
    </>
  );
}

/** An open book with a mark in it. */
function Guide(): ReactNode {
  return (
    <>
      <path d="M48 28c-8-7-18-8-30-7v46c12-1 22 0 30 7 8-7 18-8 30-7V21c-12-1-22 0-30 7zM48 28v46" />
      <path d="M26 34c5 0 9 .6 13 2.5M26 45c5 0 9 .6 13 2.5M26 56c5 0 9 .6 13 2.5" />
      <path d="M58 19v27l7-6 7 6V19.5z" fill="var(--gold)" stroke="none" />
    </>
  );
}

/** A pair of scales: what is put in, and what comes back. */
function Scales(): ReactNode {
  return (
    <>
      <path d="M48 16v58M34 76h28M20 30l28-8 28 8" />
      <path d="M20 30L10 54h20zM76 30L66 50h20z" />
      <path d="M8 54a12 9 0 0 0 24 0zM64 50a12 9 0 0 0 24 0z" fill="var(--gold)" stroke="none" />
      <circle cx="48" cy="16" r="5" fill="var(--gold)" stroke="none" />
    </>
  );
}

/** A slip with its lines and a seal: a receipt, a statement. */
function Receipt(): ReactNode {
  return (
    <>
      <path d="M26 16h44v62l-7.3-6-7.4 6-7.3-6-7.3 6-7.4-6-7.3 6z" />
      <path d="M36 30h24M36 41h24M36 52h10" />
      <circle cx="60" cy="54" r="9" fill="var(--gold)" stroke="none" />
      <path d="M56 54l3 3 5.5-6" stroke="var(--gold-soft)" />
    </>
  );
}

/** Rounds in a row, one higher, one lower. */
function Record(): ReactNode {
  return (
    <>
      <path d="M16 18v60h64" />
      <path d="M27 78V56M40 78V42M53 78V60M66 78V36" strokeWidth="7" strokeLinecap="butt" />
      <path d="M27 44l13-14 13 16 13-22" strokeDasharray="1 6" />
    </>
  );
}

/** A shield with a keyhole. */
function Shield(): ReactNode {
  return (
    <>
      <path d="M48 14l30 10v22c0 18-13 29-30 36-17-7-30-18-30-36V24z" />
      <circle cx="48" cy="42" r="7" fill="var(--gold)" stroke="none" />
      <path d="M48 45v16" strokeWidth="6" />
    </>
  );
}

/** A dial whose hand is before its mark: a limit. */
function Dial(): ReactNode {
  return (
    <>
      <path d="M18 66a32 32 0 1 1 60 0" />
      <path d="M25 40l-4-2.500M34 29l-3-4M48 25v-5M62 29l3-4" strokeWidth="2.4" />
      <path d="M67 38l8-6" stroke="var(--gold)" strokeWidth="6" />
      <path d="M48 58L39 38" strokeWidth="4" />
      <circle cx="48" cy="58" r="7" fill="var(--gold)" stroke="none" />
      <path d="M32 78h32" />
    </>
  );
}

/** Coins in three stacks. */
function Coins(): ReactNode {
  return (
    <>
      {[
        [24, 1],
        [48, 3],
        [72, 2],
      ].map(([x = 0, many = 0]) => (
        <g key={x}>
          {Array.from({ length: many }, (_, at) => (
            <path
              // biome-ignore lint/suspicious/noArrayIndexKey: coins have no other name.
              key={at}
              d={`M${x - 10} ${70 - at * 12}v-8a10 4 0 0 1 20 0v8a10 4 0 0 1-20 0z`}
            />
          ))}
          <ellipse cx={x} cy={74 - many * 12} rx="10" ry="4" fill="var(--gold)" stroke="none" />
        </g>
      ))}
      <path d="M12 82h72" />
    </>
  );
}

type Picture = () => ReactNode;

const PICTURES: Record<string, readonly [Picture, ...Picture[]]> = {
  original: [Receipt, Draw, Record],
  recommend: [Shield, Dial, Guide],
  wealth: [Scales, Coins, Receipt],
};

/** Spreads the first contents well over their pictures. */
const FACTOR = 81;

/** One of its tab's pictures, always the same for an article. */
function pictureOf({ id, tab }: Pick<Article, "id" | "tab">): Picture {
  const pictures = PICTURES[tab] ?? [Guide];
  const sum = Array.from(id).reduce(
    (sum, sign) => (sum * FACTOR + (sign.codePointAt(0) ?? 0)) % 9_973,
    0,
  );
  return pictures[sum % pictures.length] ?? pictures[0];
}

/** A picture for an article, by its tab. */
export function TopicArt({ article }: { article: Pick<Article, "id" | "tab"> }) {
  const Picture = pictureOf(article);
  return (
    <svg
      viewBox="0 0 96 96"
      fill="none"
      stroke="var(--gold)"
      strokeWidth="3"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <rect width="96" height="96" rx="20" fill="var(--gold-soft)" stroke="none" />
      <Picture />
    </svg>
  );
}
