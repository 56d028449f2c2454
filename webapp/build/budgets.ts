import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;
type Chunk = Rolldown.OutputChunk;

const KB = 1000;

/**
 * Budgets of a first load: JavaScript and CSS that a phone loads before one of these pages shows,
 * in gzipped kB, by the file of the page. Three quarters are the libraries.
 */
export const FIRST_LOAD_KB: Readonly<Record<string, number>> = {
  "/features/home/HomePage.tsx": 115,
  "/features/room/BetRoomPage.tsx": 125,
};

/**
 * Gzipped kB of what is used of each dependency, before minifying (which a chunk undergoes as a
 * whole, and which saves about a third). A dependency that is not listed fails the build.
 */
export const DEPENDENCY_KB: Readonly<Record<string, number>> = {
  "@formatjs/fast-memoize": 1,
  "@noble/curves": 36, // 20 of them are BLS12-381, loaded only for the proof of a draw with a beacon
  "@noble/hashes": 8,

  "@tanstack/query-core": 14,
  "@tanstack/react-query": 4,
  dompurify: 16,
  "fancy-canvas": 3,
  "icu-minify": 4,
  "lightweight-charts": 70,
  "qrcode.react": 12,
  react: 5,
  "react-dom": 88,
  "react-router": 22,
  scheduler: 4,
  "use-intl": 6,
  zustand: 2,
};

/** Fails the build when a first load or a dependency outgrows its budget, and says by how much. */
export function budgets(): Plugin {
  return {
    name: "fairdraw-budgets",
    apply: "build",
    writeBundle(_, bundle) {
      const faults = [...firstLoadFaults(bundle), ...dependencyFaults(bundle)];
      if (faults.length > 0) this.error(faults.join("\n"));
    },
  };
}

function firstLoadFaults(bundle: Bundle): string[] {
  return Object.entries(FIRST_LOAD_KB).flatMap(([page, allowed]) => {
    const files = firstLoad(bundle, page);
    const kb = [...files].reduce((sum, file) => sum + gzippedKb(contentOf(bundle, file)), 0);
    return kb > allowed
      ? [`${page} needs ${kb.toFixed(2)} kB gzipped at first; ${allowed} are allowed`]
      : [];
  });
}

/** Files that a page needs to show: the app's entry, the texts, the page, and what these import. */
export function firstLoad(bundle: Bundle, page: string): Set<string> {
  const begins = (chunk: Chunk) =>
    chunk.isEntry ||
    chunk.facadeModuleId?.endsWith(page) ||
    chunk.facadeModuleId?.endsWith("/i18n/en/coreTexts.ts");
  const files = new Set<string>();
  const add = (name: string) => {
    const chunk = bundle[name];
    if (files.has(name) || chunk?.type !== "chunk") return;
    files.add(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    chunk.imports.forEach(add);
  };
  for (const chunk of chunks(bundle)) if (begins(chunk)) add(chunk.fileName);
  return files;
}

function dependencyFaults(bundle: Bundle): string[] {
  return [...dependencyCode(bundle)].flatMap(([name, code]) => {
    const kb = gzippedKb(code);
    const allowed = DEPENDENCY_KB[name];
    if (allowed === undefined) return [`${name} (${kb.toFixed(1)} kB) has no budget`];
    return kb > allowed ? [`${name} has ${kb.toFixed(1)} kB gzipped; ${allowed} are allowed`] : [];
  });
}

/** What each package contributes to the bundle, by its name. */
function dependencyCode(bundle: Bundle): Map<string, string> {
  const found = new Map<string, string>();
  for (const chunk of chunks(bundle)) {
    for (const [id, { code }] of Object.entries(chunk.modules)) {
      const name = packageOf(id);
      if (name !== undefined) found.set(name, (found.get(name) ?? "") + (code ?? ""));
    }
  }
  return found;
}

/** "@scope/name" or "name" of a module below node_modules. */
export function packageOf(id: string): string | undefined {
  const below = id.split("/node_modules/").at(-1);
  if (below === id || below === undefined) return undefined;
  const [first = "", second = ""] = below.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

function chunks(bundle: Bundle): Chunk[] {
  return Object.values(bundle).filter((file): file is Chunk => file.type === "chunk");
}

function contentOf(bundle: Bundle, name: string): string | Uint8Array {
  const file = bundle[name];
  if (file === undefined) return "";
  return file.type === "chunk" ? file.code : file.source;
}

function gzippedKb(content: string | Uint8Array): number {
  return gzipSync(content, { level: 9 }).length / KB;
}
