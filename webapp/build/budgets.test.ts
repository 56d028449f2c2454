import { expect, test } from "vitest";
import { firstLoad, packageOf } from "./budgets.ts";

const chunk = (fileName: string, more: object = {}) => ({
  type: "chunk",
  fileName,
  isEntry: false,
  facadeModuleId: null,
  imports: [],
  modules: {},
  ...more,
});

function bundleOf(...files: ReturnType<typeof chunk>[]) {
  return Object.fromEntries(files.map((file) => [file.fileName, file])) as unknown as Parameters<
    typeof firstLoad
  >[0];
}

test("a first load is the entry, the page, its language, and all that these import", () => {
  const bundle = bundleOf(
    chunk("index.js", { isEntry: true, imports: ["kit.js"] }),
    chunk("kit.js", { viteMetadata: { importedCss: new Set(["kit.css"]) } }),
    chunk("room.js", { facadeModuleId: "/x/src/features/room/BetRoomPage.tsx" }),
    chunk("home.js", { facadeModuleId: "/x/src/features/home/HomePage.tsx" }),
    chunk("english.js", { facadeModuleId: "/x/src/i18n/en/coreTexts.ts" }),
    chunk("chinese.js", { facadeModuleId: "/x/src/i18n/zh/coreTexts.ts" }),
    chunk("charts.js", { facadeModuleId: "/x/src/features/charts/CandlesPage.tsx" }),
  );
  expect([...firstLoad(bundle, "/room/BetRoomPage.tsx")].sort()).toEqual([
    "english.js",
    "index.js",
    "kit.css",
    "kit.js",
    "room.js",
  ]);
});

test("a module belongs to the innermost package, whose scope is part of the name", () => {
  expect(packageOf("/x/node_modules/react-dom/cjs/client.js")).toBe("react-dom");
  expect(packageOf("/x/node_modules/a/node_modules/@b/c/d.js")).toBe("@b/c");
  expect(packageOf("/x/src/main.tsx")).toBeUndefined();
});
