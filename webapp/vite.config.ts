import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { budgets } from "./build/budgets.ts";
import { cascadeLayers } from "./build/cascadeLayers.ts";
import { shortClassName } from "./build/classNames.ts";
import { compiledTexts } from "./build/compiledTexts.ts";
import { firstLoadGroups } from "./build/firstLoadGroups.ts";
import { htmlShell } from "./build/htmlShell.ts";
import { precompress } from "./build/precompress.ts";

const source = (file: string) => resolve(import.meta.dirname, "src", file);
const preload = source("startupPreload.ts");
const first = firstLoadGroups({
  preload,
  main: source("main.tsx"),
  home: source("features/home/HomePage.tsx"),
  room: source("features/room/BetRoomPage.tsx"),
});
const testing = process.env.VITEST !== undefined;

export default defineConfig({
  base: "/vip/",
  plugins: testing
    ? [react()]
    : [cascadeLayers(), compiledTexts(), react(), htmlShell(preload), budgets(), precompress()],
  resolve: {
    // Compiled messages need only the formatter; tests read the texts as they were written.
    alias: testing ? {} : { "use-intl/format-message": "use-intl/format-message/format-only" },
  },
  css: { modules: testing ? {} : { generateScopedName: shortClassName } },
  server: {
    port: 5173,
    proxy: { "^/(api/|healthz$)": process.env.FAIRDRAW_API ?? "http://127.0.0.1:8000" },
  },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A browser that ignores modulepreload loads the same files a little later; the polyfill would
    // be half a kilobyte of every first load.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Few files instead of many; libraries change more rarely than what is ours. The entry lists
      // all scripts and styles: their names would be a kilobyte of every first load.
      output: {
        chunkFileNames: "assets/[hash:7].js",
        assetFileNames: ({ names: [name = ""] }) =>
          name.endsWith(".css") ? "assets/[hash:7][extname]" : "assets/[name]-[hash:7][extname]",
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              test: /node_modules\/(react|scheduler|use-intl|icu|@tan|zustand)/,
            },
            ...first,
          ],
        },
      },
    },
  },
  test: { environment: "node", include: ["{src,build}/**/*.test.{ts,tsx}"] },
});
