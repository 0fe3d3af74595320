// The map's sources → privlab/ui/flowmap/assets: one module, its style sheet, the world's outlines, and the licences of what is in them.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { PRODUCTION, SETTINGS, packagesOf, writeLicences, writeSums } from "../kept.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "..", "privlab", "ui", "flowmap", "assets");

const made = await build({
  entryPoints: [join(here, "src", "index.js")],
  outfile: join(out, "flowmap.js"),
  ...SETTINGS,
  format: "esm",
  define: {
    ...PRODUCTION,
    // deck.gl stops where it finds another version of itself in the page; another component may bring one.
    "globalThis.deck": "globalThis.privlabDeck",
    "globalThis.luma": "globalThis.privlabLuma",
  },
});

copyFileSync(join(here, "src", "flowmap.css"), join(out, "flowmap.css"));

// Borders and land of the countries, without names: what no map draws is not kept.
const atlas = JSON.parse(readFileSync(join(here, "node_modules/world-atlas/countries-50m.json"), "utf8"));
for (const one of atlas.objects.countries.geometries) {
  delete one.properties;
  delete one.id;
}
writeFileSync(join(out, "world.json"), JSON.stringify(atlas));

const head = `Third-party code and data in flowmap.js and world.json.

world.json: land and borders of Natural Earth, 1:50 million (naturalearthdata.com), in the public domain; made from
world-atlas, without names.
`;
const packages = packagesOf(made.metafile).add("world-atlas");
writeLicences(out, head, packages, join(here, "node_modules"));
writeSums(out, ["flowmap.js", "flowmap.css", "world.json", "LICENCES.txt"]);
