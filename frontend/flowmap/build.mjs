// The map's sources → privlab/ui/flowmap/assets: one module, the world's outlines, and the licences of what is in them.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "..", "privlab", "ui", "flowmap", "assets");

const made = await build({
  entryPoints: [join(here, "src", "index.js")],
  outfile: join(out, "flowmap.js"),
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  logLevel: "info",
  define: {
    "process.env.NODE_ENV": '"production"',
    // deck.gl stops where it finds another version of itself in the page; streamlit's own maps bring one.
    "globalThis.deck": "globalThis.privlabDeck",
    "globalThis.luma": "globalThis.privlabLuma",
  },
});

// Borders and land of the countries, without names: what no map draws is not kept.
const atlas = JSON.parse(readFileSync(join(here, "node_modules/world-atlas/countries-50m.json"), "utf8"));
for (const one of atlas.objects.countries.geometries) {
  delete one.properties;
  delete one.id;
}
writeFileSync(join(out, "world.json"), JSON.stringify(atlas));

const packages = new Set(["world-atlas"]);
for (const input of Object.keys(made.metafile.inputs)) {
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//g;
  const names = [...input.matchAll(found)];
  if (names.length) packages.add(names.at(-1)[1]);
}
const texts = new Map(); // licence text → packages under it
for (const name of [...packages].sort()) {
  const folder = join(here, "node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "(the package holds no licence text)";
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${about.version}, ${about.license}`]);
}
const head = `Third-party code and data in flowmap.js and world.json.

world.json: land and borders of Natural Earth, 1:50 million (naturalearthdata.com), in the public domain; made from
world-atlas, without names.
`;
const parts = [...texts].map(([text, names]) => `${"-".repeat(80)}\n${names.join("\n")}\n\n${text}\n`);
writeFileSync(join(out, "LICENCES.txt"), [head, ...parts].join("\n").replace(/[ \t]+$/gm, "").replace(/\r/g, ""));

const digest = (name) => createHash("sha256").update(readFileSync(join(out, name))).digest("hex");
const kept = ["flowmap.js", "world.json", "LICENCES.txt"].filter((name) => existsSync(join(out, name)));
writeFileSync(join(out, "SHA256SUMS"), kept.map((name) => `${digest(name)}  ${name}\n`).join(""));
