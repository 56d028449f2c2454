"""Layout faults of a page, found by checking every element on it.

Each check is a JavaScript function for `page.evaluate` that returns the faults as texts.
"""

from typing import Final

# Elements that overflow sideways, and a document that can be scrolled. What a box clips or scrolls
# by itself does not count.
OUT_OF_PLACE: Final = """() => {
  const root = document.scrollingElement, wide = innerWidth, faults = [];
  if (root.scrollWidth > wide) faults.push(`the page is ${root.scrollWidth} px wide`);
  root.scrollTo(0, 1);
  if (root.scrollTop > 0) faults.push("the document scrolls");
  const clipped = (element) => {
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll("body *")) {
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 0 && (right > wide + 1 || left < -1) && !clipped(element)) {
      faults.push(`${element.tagName} ${element.className} from ${left} to ${right}`);
    }
  }
  for (const box of document.querySelectorAll("dialog[open], dialog[open] *, main")) {
    const scrolls = ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
    if (box.scrollWidth > box.clientWidth + 1 && scrolls) {
      faults.push(`${box.tagName} ${box.className} scrolls sideways`);
    }
  }
  return faults;
}"""

# Controls without a size to touch or an accessible name.
NAMELESS: Final = """() => [...document.querySelectorAll("button, a[href], input")]
  .filter((control) => control.checkVisibility() && !control.closest("[inert]"))
  .filter((control) => !(control.innerText || control.ariaLabel || control.labels?.length))
  .map((control) => control.outerHTML.slice(0, 120))"""

# Text of which a part is cut off by a box that cannot be scrolled, and texts that overlap one
# another. Text fully out of view is hidden on purpose, and so is the beginning of an article.
UNREADABLE: Final = """() => {
  const SLACK = 2, faults = [], seen = [];
  const top = [...document.querySelectorAll("dialog[open], :popover-open")].at(-1);
  const within = (top ?? document.body);
  const intersect = (a, b) => ({
    left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
  });
  const empty = (r) => r.right - r.left <= SLACK || r.bottom - r.top <= SLACK;
  const hidden = (element) => element.closest(".visually-hidden, [aria-hidden=true][inert]");
  const words = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (hidden(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter((line) => !empty(line));
    let shown = lines, cut = false;
    for (let box = element; box && box !== document.documentElement; box = box.parentElement) {
      const { overflowX, overflowY, position, display, webkitLineClamp } = getComputedStyle(box);
      if (overflowX === "visible" && overflowY === "visible" || display === "inline") {
        if (position === "fixed") break;
        continue;
      }
      const edge = box.getBoundingClientRect();
      const clip = {
        left: overflowX === "visible" ? -1e6 : edge.left,
        right: overflowX === "visible" ? 1e6 : edge.right,
        top: overflowY === "visible" ? -1e6 : edge.top,
        bottom: overflowY === "visible" ? 1e6 : edge.bottom,
      };
      const kept = shown.map((line) => intersect(line, clip));
      const fixed = (way) => ["hidden", "clip"].includes(way) && webkitLineClamp === "none";
      const lost = shown.some((line, at) =>
        fixed(overflowX) && kept[at].right - kept[at].left < line.right - line.left - SLACK ||
        fixed(overflowY) && kept[at].bottom - kept[at].top < line.bottom - line.top - SLACK);
      shown = kept.filter((line) => !empty(line));
      if (shown.length === 0) break;
      cut ||= lost;
    }
    if (shown.length === 0) continue;
    if (cut) faults.push(`"${node.data.trim().slice(0, 60)}" is cut off`);
    seen.push({ node, shown });
  }
  seen.forEach((one, at) => seen.slice(at + 1).forEach((other) => {
    const over = one.shown.some((a) => other.shown.some((b) => {
      const both = intersect(a, b);
      return both.right - both.left > SLACK && both.bottom - both.top > (b.bottom - b.top) / 3;
    }));
    const [a, b] = [one, other].map(({ node }) => node.data.trim().slice(0, 40));
    if (over) faults.push(`"${a}" and "${b}" lie over one another`);
  }));
  return faults;
}"""

# Controls that cannot be scrolled into view completely, or that another element covers there.
UNREACHABLE: Final = """() => {
  const top = [...document.querySelectorAll("dialog[open], :popover-open")].at(-1) ?? document;
  const controls = [...top.querySelectorAll("button, a[href], input, select, summary")]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .filter((control) => !control.closest("[inert], .visually-hidden"))
    .filter((control) => !control.matches(".visually-hidden, :disabled, [type=file]"));
  return controls.flatMap((control) => {
    control.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, right, top, bottom } = control.getBoundingClientRect();
    const name = (control.innerText || control.ariaLabel || control.outerHTML).slice(0, 60);
    if (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1) {
      return [`"${name}" is not whole in view`];
    }
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const own = hit && (control.contains(hit) || hit.contains(control) || hit.htmlFor);
    return own ? [] : [`"${name}" lies under ${hit?.tagName} ${hit?.className}`];
  });
}"""

#: Whether all finite animations have ended; endless animations are ignored.
AT_REST = """() => document.getAnimations().every((motion) =>
  motion.playState !== "running" || motion.effect?.getComputedTiming().endTime === Infinity)"""
