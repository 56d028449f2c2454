import { type FocusEvent, useEffect, useState } from "react";

/** Counts 0, 1, … count−1, 0, … every `ms`, unless it is held. */
export function useAutoplay(
  count: number,
  ms: number,
  held: boolean,
): [number, (at: number) => void] {
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (count < 2 || held) return;
    const timer = setTimeout(() => setAt((at + 1) % count), ms);
    return () => clearTimeout(timer);
  }, [at, count, ms, held]);
  return [count === 0 ? 0 : at % count, setAt];
}

/** Whether the element is touched, hovered or focused: autoplay then pauses. */
export function useInteracting() {
  const [touched, setTouched] = useState(false);
  const [focused, setFocused] = useState(false);
  const handlers = {
    onTouchStart: () => setTouched(true),
    onTouchEnd: () => setTouched(false),
    onTouchCancel: () => setTouched(false),
    onMouseEnter: () => setTouched(true),
    onMouseLeave: () => setTouched(false),
    // A touch leaves the focus behind; only :focus-visible means that the player is reading.
    onFocus: (focus: FocusEvent) => setFocused(focus.target.matches(":focus-visible")),
    onBlur: () => setFocused(false),
  };
  return [touched || focused, handlers] as const;
}
