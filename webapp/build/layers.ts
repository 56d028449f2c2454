import type { Plugin } from "vite";

const KIT = /\/src\/components\/([\w-]+)(\.module)?\.css$/;
/** What holds for every element: a layer within the kit's, below all else there. */
const BASE: ReadonlySet<string> = new Set(["base", "tokens"]);

/**
 * Puts the styles of the kit into a layer below those of the pages: a page's word about a button of
 * the kit then holds in whatever order their files arrive. What index.html paints is below both.
 */
export function layers(): Plugin {
  return {
    name: "fairdraw-layers",
    enforce: "pre",
    transform(code, id) {
      const layer = layerOf(id);
      return layer && `@layer ${layer} {\n${code}\n}\n`;
    },
  };
}

/** Of a style file by its path; none for a page's, which are above all layers. */
export function layerOf(id: string): "kit.base" | "kit" | undefined {
  const name = KIT.exec(id.split("?")[0] ?? "")?.[1];
  if (name === undefined) return undefined;
  return BASE.has(name) ? "kit.base" : "kit";
}
