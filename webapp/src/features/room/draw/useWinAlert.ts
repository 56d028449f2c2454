import { useEffect } from "react";
import { useSettings } from "../../../lib/settings.ts";
import type { Outcome } from "./outcome.ts";

/** Vibration and sound of a win, as far as the settings ask for them. */

const ATTACK_S = 0.012;
const SILENT = 0.0001;

let audio: AudioContext | null = null;

/** A browser plays sound only after a user gesture: the first one resumes the audio context. */
function useSoundReady(wanted: boolean): void {
  useEffect(() => {
    if (!wanted || typeof AudioContext === "undefined") return;
    const ready = () => {
      audio ??= new AudioContext();
      void audio.resume().catch(() => undefined);
    };
    const once = { once: true, passive: true };
    document.addEventListener("pointerdown", ready, once);
    document.addEventListener("keydown", ready, once);
    return () => {
      document.removeEventListener("pointerdown", ready);
      document.removeEventListener("keydown", ready);
    };
  }, [wanted]);
}

function strike(context: AudioContext, { hertz, atS, lastsS, loud }: Note): void {
  const from = context.currentTime + atS;
  const tone = new OscillatorNode(context, { type: "sine", frequency: hertz });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(SILENT, from);
  volume.gain.exponentialRampToValueAtTime(loud, from + ATTACK_S);
  volume.gain.exponentialRampToValueAtTime(SILENT, from + lastsS);
  tone.connect(volume).connect(context.destination);
  tone.start(from);
  tone.stop(from + lastsS);
}

function chime(): void {
  if (audio?.state !== "running") return;
  for (const note of CHIME) strike(audio, note);
}

/**
 * Vibrates and chimes for a win while it is shown, once. A payout below the stakes is no win, and
 * nothing sounds for it.
 */
export function useWinAlert(shown: Outcome | null): void {
  const sound = useSettings((settings) => settings.sound);
  useSoundReady(sound);
  const won = shown !== null && shown.payoutMinor > shown.stakeMinor ? shown.issue : null;
  useEffect(() => {
    if (won === null) return;
    const wanted = useSettings.getState();
    if (wanted.vibration) navigator.vibrate?.([...BUZZ]);
    if (wanted.sound) chime();
  }, [won]);
}

/** Three soft notes for a win, synthesized rather than downloaded. */

interface Note {
  readonly hertz: number;
  /** Seconds after the first. */
  readonly atS: number;
  readonly lastsS: number;
  /** 0 to 1. */
  readonly loud: number;
}

/** G, B and D of the fifth octave, each let ring into the next. */
const CHIME: readonly Note[] = [
  { hertz: 783.99, atS: 0, lastsS: 0.5, loud: 0.16 },
  { hertz: 987.77, atS: 0.14, lastsS: 0.55, loud: 0.14 },
  { hertz: 1174.66, atS: 0.28, lastsS: 0.9, loud: 0.12 },
];

/** A short, a pause and a longer one, in ms, as navigator.vibrate takes them. */
const BUZZ: readonly number[] = [60, 50, 120];
