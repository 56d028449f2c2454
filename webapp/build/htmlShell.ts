import type { IndexHtmlTransformResult, Plugin, Rolldown } from "vite";

const STYLES = /[ \t]*<link rel="stylesheet"[^>]*>\n?/g;

/**
 * Moves the styles behind the content of index.html, so that they delay the app but not the first
 * paint. The preloading script comes first.
 */
export function htmlShell(preload: string): Plugin {
  return {
    name: "fairdraw-shell",
    apply: "build",
    config: () => ({ build: { rolldownOptions: { input: { index: "index.html", preload } } } }),
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle }) =>
        withPreload(stylesLast(html), preloadOf(bundle ?? {}, preload)),
    },
  };
}

/** The same page with its styles at the end of its body. */
export function stylesLast(html: string): string {
  const styles = html.match(STYLES)?.join("") ?? "";
  return html.replace(STYLES, "").replace("  </body>", `${styles}  </body>`);
}

function preloadOf(bundle: Rolldown.OutputBundle, source: string): string {
  const found = Object.values(bundle).find(
    (file) => file.type === "chunk" && file.isEntry && file.facadeModuleId === source,
  );
  if (found === undefined) throw new Error(`${source} is not in the build`);
  return found.fileName;
}

function withPreload(html: string, file: string): IndexHtmlTransformResult {
  const attrs = { type: "module", crossorigin: true, src: `/vip/${file}` };
  return { html, tags: [{ tag: "script", attrs, injectTo: "head-prepend" }] };
}
