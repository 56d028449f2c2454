import { type ComponentType, createElement, useState } from "react";
import type { Tier } from "../api/types.ts";
import { loadPageTexts } from "../i18n/texts.ts";
import { lazyWithRetry } from "../lib/lazyWithRetry.ts";
import { loaders, PAGES_WITH_CORE_TEXTS, type PageName, pageAt } from "./pageChunks.ts";

interface PageProps {
  /** Which level's halls, where the route says it. */
  vip?: Tier;
}
type Page = ComponentType<PageProps>;

const loaded = new Map<PageName, Page>();
const coming = new Map<PageName, Page>();

/** Loads a page and caches it, so that it renders without suspending afterwards. */
async function load(name: PageName): Promise<{ default: Page }> {
  const texts = PAGES_WITH_CORE_TEXTS.has(name) ? undefined : loadPageTexts();
  const [page]: [{ default: Page }, unknown] = await Promise.all([loaders[name](), texts]);
  loaded.set(name, page.default);
  return page;
}

function laterOf(name: PageName): Page {
  const known = coming.get(name) ?? lazyWithRetry(() => load(name));
  coming.set(name, known);
  return known;
}

/** The page of a route: rendered immediately where it is loaded, else suspended. */
export function LazyPage({ name, ...props }: PageProps & { name: PageName }) {
  return createElement(Placed, { key: name, name, ...props });
}

function Placed({ name, ...props }: PageProps & { name: PageName }) {
  const [Shown] = useState(() => loaded.get(name) ?? laterOf(name));
  return createElement(Shown, props);
}

/** Begins to load the page of a path; its route handles a failure. */
export async function preloadPath(pathname: string): Promise<void> {
  const name = pageAt(pathname);
  if (name !== undefined) await load(name).catch(() => undefined);
}

/** Loads the page behind a link on pointerdown, before the click. */
export function preload(target: EventTarget): void {
  const link = target instanceof Element ? target.closest("a") : null;
  if (link !== null) void preloadPath(link.pathname);
}

/** A sheet over the list of draws, loaded after the list. */
export const DrawProof = lazyWithRetry(() => import("../features/fairness/DrawProof.tsx"));
