// The script of figures in documents → privlab/reports/assets, with the licences of what is in it.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { packagesOf, writeLicences, writeSums } from "../kept.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "..", "privlab", "reports", "assets");
mkdirSync(out, { recursive: true });

const made = await build({
  entryPoints: [join(here, "src", "plotly.js")],
  outfile: join(out, "plotly.js"),
  bundle: true,
  format: "iife",
  minify: true,
  target: "es2022",
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  logLevel: "info",
  define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
  loader: { ".css": "empty" }, // of the street maps that no figure has
});
writeLicences(out, "Third-party code in plotly.js.\n", packagesOf(made.metafile), join(here, "node_modules"));
writeSums(out, ["plotly.js", "LICENCES.txt"]);
