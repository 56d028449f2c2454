import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { budgets } from "./build/budgets.ts";
import { shared } from "./build/first.ts";
import { compiledMessages } from "./build/messages.ts";
import { precompress } from "./build/precompress.ts";

// What home and the rooms have in common with the shell; other pages bring what they need.
const kit = shared(
  ["main.tsx", "features/home/HomePage.tsx", "features/room/BetRoomPage.tsx"].map((file) =>
    resolve(import.meta.dirname, "src", file),
  ),
);
const testing = process.env.VITEST !== undefined;

export default defineConfig({
  base: "/vip/",
  plugins: testing ? [react()] : [compiledMessages(), react(), budgets(), precompress()],
  resolve: {
    // Compiled messages need only the formatter; tests read the texts as they were written.
    alias: testing ? {} : { "use-intl/format-message": "use-intl/format-message/format-only" },
  },
  server: {
    port: 5173,
    proxy: { "/api": process.env.FAIRDRAW_API ?? "http://127.0.0.1:8000" },
  },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // What every page needs, in two files instead of thirty: libraries change more rarely.
      output: {
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              test: /node_modules\/(react|scheduler|use-intl|icu|@tan|zustand)/,
            },
            { name: "kit", test: (id: string) => kit.has(id.split("?")[0] ?? id) },
          ],
        },
      },
    },
  },
  test: { environment: "node", include: ["{src,build}/**/*.test.{ts,tsx}"] },
});
