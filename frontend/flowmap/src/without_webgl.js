// What stands in place of a picture where the browser has no WebGL: a sentence, and the largest numbers as a table.

import { element } from "./legend_and_scale_bar.js";
import { counted } from "./widths_and_colours.js";

const MOST = 20; // rows

// `rows` are the flows of the first pane, largest first, and `totals` what its zones hold; there may be neither.
export function inNumbers(box, sent, rows, nameOfNode, names, totals) {
  const flows = sent.panes[0].n_flows > 0;
  const head = flows ? ["from", "to", ...sent.panes.map((pane) => pane.title)] : ["zone", sent.panes[0].title];
  const lines = flows ? rows.map((row) => flowInNumbers(row, nameOfNode, sent)) : zonesInNumbers(names, totals);
  const said = `This browser draws no maps: it offers no WebGL.${lines.length ? ` The largest ${flows ? "flows" : "zones"} in numbers:` : ""}`;
  const all = element("div", "words", said);
  if (lines.length) all.append(tableOf(head, lines.slice(0, MOST)));
  box.replaceChildren(all);
}

function flowInNumbers(row, nameOfNode, { panes }) {
  const count = (pane) => (pane.what === "difference" ? `${row.kind}: ${counted(row.value)}` : counted(row[pane.what]));
  return [nameOfNode(row.from), nameOfNode(row.to), ...panes.map(count)];
}

function zonesInNumbers(names, totals) {
  if (!totals) return [];
  const order = Array.from(totals.keys()).filter((zone) => totals[zone] > 0).sort((one, other) => totals[other] - totals[one]);
  return order.slice(0, MOST).map((zone) => [names[zone], counted(totals[zone])]);
}

function tableOf(head, lines) {
  const table = element("table");
  const row = (tag, texts) => {
    const made = element("tr");
    made.append(...texts.map((text) => element(tag, "", text)));
    return made;
  };
  table.append(row("th", head), ...lines.map((line) => row("td", line)));
  return table;
}
