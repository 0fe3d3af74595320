// The script of figures, in pages and in documents → privlab/reports/assets, with the licences of what is in it.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { PRODUCTION, SETTINGS, packagesOf, writeLicences, writeSums } from "../kept.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "..", "privlab", "reports", "assets");

const made = await build({
  entryPoints: [join(here, "src", "plotly.js")],
  outfile: join(out, "plotly.js"),
  ...SETTINGS,
  format: "iife",
  define: { ...PRODUCTION, global: "globalThis" },
  loader: { ".css": "empty" }, // of the street maps that no figure has
});
writeLicences(out, "Third-party code in plotly.js.\n", packagesOf(made.metafile), join(here, "node_modules"));
writeSums(out, ["plotly.js", "LICENCES.txt"]);
