// How files are built for the repository, and what is kept beside them: the licences of all that is inside, and digests.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// esbuild's settings of all that is kept.
export const SETTINGS = {
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  logLevel: "info",
};
export const PRODUCTION = { "process.env.NODE_ENV": '"production"' };

// The packages that a build took files from, by esbuild's list of them.
export function packagesOf(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//g;
    const names = [...input.matchAll(found)];
    if (names.length) packages.add(names.at(-1)[1]);
  }
  return packages;
}

// LICENCES.txt in the folder `out`: `head`, then each licence text with the packages under it.
export function writeLicences(out, head, packages, modules) {
  const texts = new Map();
  for (const name of [...packages].sort()) {
    const folder = join(modules, name);
    const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "(the package holds no licence text)";
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${about.version}, ${about.license}`]);
  }
  const parts = [...texts].map(([text, names]) => `${"-".repeat(80)}\n${names.join("\n")}\n\n${text}\n`);
  writeFileSync(join(out, "LICENCES.txt"), [head, ...parts].join("\n").replace(/[ \t]+$/gm, "").replace(/\r/g, ""));
}

// SHA256SUMS in the folder `out`, of those of the files that are there.
export function writeSums(out, names) {
  const digest = (name) => createHash("sha256").update(readFileSync(join(out, name))).digest("hex");
  const kept = names.filter((name) => existsSync(join(out, name)));
  writeFileSync(join(out, "SHA256SUMS"), kept.map((name) => `${digest(name)}  ${name}\n`).join(""));
}
