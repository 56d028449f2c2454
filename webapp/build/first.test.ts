import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstGroups } from "./first.ts";

test("what pages need at once is grouped; types, lazy parts and one's own are not", () => {
  const folder = mkdtempSync(join(tmpdir(), "fairdraw-"));
  mkdirSync(join(folder, "room"));
  const at = (name: string) => join(folder, name);
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  write("main.ts", 'import "./shell.ts";\nconst l = () => import("./home.ts");\n');
  write(
    "home.ts",
    'import { x } from "./both.ts";\nimport {\n  y,\n} from "./own.ts";\nimport type { T } from "./types.ts";\n',
  );
  write(
    "room/room.ts",
    'export * from "../both.ts";\nimport { x } from "../lent.ts";\nimport "./part.ts";\nconst z = {\n  z: () => import("./later.ts"),\n};\n',
  );
  for (const name of ["shell.ts", "both.ts", "own.ts", "lent.ts", "types.ts"]) write(name, "");
  for (const name of ["room/part.ts", "room/later.ts"]) write(name, "");
  const groups = firstGroups(at("main.ts"), at("home.ts"), at("room/room.ts"));
  const groupOf = (name: string) => groups.find(({ test }) => test(at(name)))?.name;
  expect(["shell.ts", "both.ts"].map(groupOf)).toEqual(["kit", "kit"]);
  expect(["lent.ts", "room/part.ts"].map(groupOf)).toEqual(["common", "room"]);
  const alone = ["main.ts", "home.ts", "room/room.ts", "own.ts", "types.ts", "room/later.ts"];
  expect(alone.map(groupOf)).toEqual(alone.map(() => undefined));
});
