import { useId } from "react";
import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useGames } from "../../api/commonQueries.ts";
import { formatUnits } from "../../lib/money.ts";
import styles from "./Halls.module.css";

const LEVELS = [0, 1, 2] as const;

/** The three entries, each with the balances that open its halls. */
export function Halls() {
  const t = useTranslations("home");
  const locale = useLocale();
  const plans = useGames().data?.[0]?.planList;
  const entry = (level: number) => {
    const limits = plans?.filter((plan) => plan.vip === level).map((plan) => plan.join_limit) ?? [];
    if (limits.length === 0) return null;
    return t("hallText", { amount: formatUnits(Math.max(...limits), locale) });
  };
  return (
    <nav className={styles.halls} aria-label={t("halls")}>
      {LEVELS.map((level) => (
        <Link key={level} to={`/lottery?id=${level}`} className={styles.hall}>
          <HallArt level={level} />
          <b>{t("hall", { level: String(level + 1) })}</b>
          <small>
            {t("hallEntry")}
            <span>{entry(level) ?? "\u00a0"}</span>
          </small>
        </Link>
      ))}
    </nav>
  );
}

type Level = 0 | 1 | 2;

interface Scene {
  /** Centres of the balls, and how large they are. */
  balls: readonly (readonly [number, number])[];
  radius: number;
  /** The half width of the top step, and how many steps there are. */
  half: number;
  steps: number;
  /** The height of what the light comes from. */
  light: number;
  rays: number;
  /** Degrees above the ground that the laurel takes at either side. */
  taken: number;
  leaves: number;
}

/** What each level adds: a ball, a step, light and laurel. */
const SCENES: Record<Level, Scene> = {
  0: {
    balls: [[60, 64]],
    radius: 17,
    half: 22,
    steps: 1,
    light: 62,
    rays: 7,
    taken: 21,
    leaves: 3,
  },
  1: {
    balls: [
      [46, 60],
      [74, 60],
    ],
    ...{ radius: 14, half: 31, steps: 2, light: 58, rays: 7, taken: 42, leaves: 5 },
  },
  2: {
    balls: [
      [60, 31],
      [46.5, 54],
      [73.5, 54],
    ],
    ...{ radius: 13, half: 29, steps: 3, light: 46, rays: 5, taken: 56, leaves: 7 },
  },
};

const MIDDLE = 60;
const GROUND_Y = 88;
const STEP_PX = 7;

/** Rays of light from behind the balls, evenly between the laurels. */
function rays({ rays: count, light, taken }: Scene): string {
  return Array.from({ length: count }, (_, at) => {
    const degrees = taken + (at * (180 - 2 * taken)) / (count - 1);
    const angle = (degrees * Math.PI) / 180;
    const point = (far: number) =>
      `${(MIDDLE + Math.cos(angle) * far).toFixed(1)} ${(light - Math.sin(angle) * far).toFixed(1)}`;
    return `M${point(37)}L${point(Math.min(at % 2 === 0 ? 46 : 42, light - 4))}`;
  }).join("");
}

/** Leaves of a laurel at one side, from the ground upwards. */
function laurel(leaves: number): string {
  return Array.from({ length: leaves }, (_, at) => {
    const [x, y] = [12 + at * at * 0.35, GROUND_Y - 8 - at * 9];
    return `M${x} ${y}q-7-1-8-9q8 1 8 9zM${x} ${y}q7-1 8-9q-8 1-8 9z`;
  }).join("");
}

/** A level's picture: one, two or three balls on as many steps. Dark in both themes. */
function HallArt({ level }: { level: Level }) {
  const ivory = useId();
  const scene = SCENES[level];
  return (
    <svg viewBox="0 0 120 96" aria-hidden="true">
      <defs>
        <radialGradient id={ivory} cx="0.35" cy="0.28" r="0.8">
          <stop offset="0.05" stopColor="#fffaf0" />
          <stop offset="1" stopColor="#c09a55" />
        </radialGradient>
      </defs>
      <rect width="120" height="96" fill="#1a1610" />
      <g fill="none" stroke="#3a301d">
        {[30, 52, 74].map((radius) => (
          <circle key={radius} cx={MIDDLE} cy={scene.light} r={radius} />
        ))}
      </g>
      <path d={rays(scene)} stroke="#e3b45c" strokeWidth="1.6" strokeLinecap="round" />
      <g fill="#8a6c33">
        <path d={laurel(scene.leaves)} />
        <path d={laurel(scene.leaves)} transform="matrix(-1 0 0 1 120 0)" />
      </g>
      <Steps scene={scene} />
      {scene.balls.map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r={scene.radius} fill={`url(#${ivory})`} />
      ))}
    </svg>
  );
}

function Steps({ scene: { steps, half } }: { scene: Scene }) {
  const top = GROUND_Y - steps * STEP_PX;
  return (
    <>
      {Array.from({ length: steps }, (_, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other name.
          key={at}
          x={MIDDLE - half - at * 9}
          y={top + at * STEP_PX}
          width={2 * (half + at * 9)}
          height={STEP_PX}
          fill={at % 2 === 0 ? "#e3b45c" : "#a67a30"}
        />
      ))}
      {/* Deeper than the picture: where its height is no whole number, nothing shows below. */}
      <rect y={GROUND_Y} width="120" height="12" fill="#0f0c08" />
    </>
  );
}
