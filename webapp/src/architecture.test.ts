import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const root = import.meta.dirname;
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.tsx?$/.test(file),
);

/** Files of ours that a file imports, as paths below src. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative(root, join(root, dirname(file), match[1] ?? "")),
  );
}

function featureOf(file: string): string | undefined {
  return /^features\/([^/]+)/.exec(file)?.[1];
}

test("a feature never imports another feature, nor the app that composes them", () => {
  const wrong = files
    .filter((file) => featureOf(file) !== undefined)
    .flatMap((file) =>
      importsOf(file)
        .filter((imported) => {
          const other = featureOf(imported);
          return imported.startsWith("app/") || (other !== undefined && other !== featureOf(file));
        })
        .map((imported) => `${file} → ${imported}`),
    );
  expect(wrong).toEqual([]);
});

test("what is shared imports neither features nor the app", () => {
  const wrong = files
    .filter((file) => /^(components|api|lib|i18n)\//.test(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((imported) => /^(features|app)\//.test(imported))
        .map((imported) => `${file} → ${imported}`),
    );
  expect(wrong).toEqual([]);
});

test("no file that a person wrote is longer than 400 lines", () => {
  const written = files.filter((file) => file !== join("api", "schema.d.ts"));
  const long = written.filter(
    (file) => readFileSync(join(root, file), "utf8").split("\n").length > 401,
  );
  expect(long).toEqual([]);
});
