import type { Plugin } from "vite";

const KIT = /\/src\/components\/([\w-]+)(\.module)?\.css$/;
/** Styles of every element: the lowest layer of the kit. */
const BASE: ReadonlySet<string> = new Set(["base", "tokens"]);

/**
 * Puts the styles of the kit into a cascade layer below those of the pages: a page's rule for a
 * button of the kit then wins in whatever order the files load. The styles of index.html are below
 * both.
 */
export function cascadeLayers(): Plugin {
  return {
    name: "fairdraw-layers",
    enforce: "pre",
    transform(code, id) {
      const layer = layerOf(id);
      return layer && `@layer ${layer} {\n${code}\n}\n`;
    },
  };
}

/** The layer of a style file by its path; undefined for a page's, which is above all layers. */
export function layerOf(id: string): "kit.base" | "kit" | undefined {
  const name = KIT.exec(id.split("?")[0] ?? "")?.[1];
  if (name === undefined) return undefined;
  return BASE.has(name) ? "kit.base" : "kit";
}
