import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { firstLoadGroups } from "./firstLoadGroups.ts";

test("what is needed first is grouped; types, lazy parts and a page's own are not", () => {
  const folder = mkdtempSync(join(tmpdir(), "fairdraw-"));
  const at = (name: string) => join(folder, name);
  const write = (name: string, text = "") => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  write("preload.ts", 'import "./names.ts";\nconst l = () => import("./home/home.ts");\n');
  write("main.ts", 'import "./shell.ts";\nimport "./names.ts";\n');
  write(
    "home/home.ts",
    'import { x } from "../both.ts";\nimport {\n  y,\n} from "./own.ts";\nimport type { T } from "../types.ts";\n',
  );
  write(
    "room/room.ts",
    'export * from "../both.ts";\nimport { x } from "../lent.ts";\nimport "./part.ts";\nconst z = {\n  z: () => import("./later.ts"),\n};\n',
  );
  const others = ["names.ts", "shell.ts", "both.ts", "lent.ts", "types.ts"];
  for (const name of [...others, "home/own.ts", "room/part.ts", "room/later.ts"]) write(name);
  const [preload, main, home, room] = [
    at("preload.ts"),
    at("main.ts"),
    at("home/home.ts"),
    at("room/room.ts"),
  ];
  const groups = firstLoadGroups({ preload, main, home, room });
  const groupOf = (name: string) => groups.find(({ test }) => test(at(name)))?.name;
  expect(groupOf("names.ts")).toBe("early");
  expect(["shell.ts", "both.ts"].map(groupOf)).toEqual(["kit", "kit"]);
  expect(["lent.ts", "room/part.ts"].map(groupOf)).toEqual(["common", "room"]);
  const alone = ["main.ts", "home/home.ts", "room/room.ts", "types.ts", "room/later.ts"];
  expect([...alone, "home/own.ts"].map(groupOf).filter(Boolean)).toEqual([]);
});
