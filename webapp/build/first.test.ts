import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shared } from "./first.ts";

test("what two pages need at once is shared; types, lazy parts and one's own are not", () => {
  const folder = mkdtempSync(join(tmpdir(), "fairdraw-"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write(
    "a.tsx",
    'export const l = () => import("./later.ts");\nimport { x } from "./both.ts";\nimport type { T } from "./types.ts";\n',
  );
  write(
    "b.tsx",
    'import {\n  y,\n} from "./own.ts";\nexport const lazy = {\n  z: () => import("./later.ts"),\n};\n',
  );
  write("own.ts", 'export * from "./both.ts";\nimport type { T } from "./types.ts";\n');
  for (const name of ["both.ts", "types.ts", "later.ts"]) write(name, "");
  const found = shared([join(folder, "a.tsx"), join(folder, "b.tsx")]);
  expect([...found]).toEqual([join(folder, "both.ts")]);
});
