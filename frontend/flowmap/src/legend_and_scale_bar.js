// The page's elements around the picture: panes' titles, buttons, tooltip, legend and scale bar.

import { counted, ends, roundDown, trips } from "./widths_and_colours.js";
import { filled } from "./zones.js";

// What the first picture needs; what somebody sees who acts on the map is in flowmap.css.
export const STYLE = `
:host { display: block; }
.map { position: relative; width: 100%; overflow: hidden; border: 1px solid var(--line); border-radius: 8px;
  background: var(--ground); outline-offset: 2px; }
.picture { position: absolute; inset: 0; }
.title { position: absolute; padding: 3px 9px; border-radius: 6px; background: var(--plate); color: var(--ink);
  font-size: 14px; font-weight: 600; pointer-events: none; max-width: calc(50% - 40px); }
.title i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; }
.parting { position: absolute; background: var(--line); pointer-events: none; }
.tools { position: absolute; top: 8px; right: 8px; display: flex; flex-direction: column; gap: 4px; }
.tools button { width: 30px; height: 30px; border: 1px solid var(--line); border-radius: 6px; background: var(--plate);
  color: var(--ink); font-size: 17px; line-height: 1; cursor: pointer; }
.scale { position: absolute; left: 10px; bottom: 8px; padding: 2px 6px 4px; border-radius: 6px; background: var(--plate);
  color: var(--ink); font-size: 12px; pointer-events: none; }
.scale b { display: block; height: 5px; border: 1.5px solid var(--ink); border-top: 0; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: center; margin: 7px 2px 0; color: var(--st-text-color, var(--ink));
  font-size: 13px; line-height: 1.4; }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.legend em { font-style: normal; flex: 1 1 max(20rem, calc(100% - 17rem)); }
.legend .hint { flex: none; width: 15.5rem; margin-left: auto; text-align: right; opacity: 0.85; }
@media (max-width: 640px) { .legend .hint { margin-left: 0; text-align: left; } }
.legend i { display: inline-block; }
`;

export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export const css = (colour, alpha = 1) => `rgba(${colour.join(",")},${alpha})`;

export function paint(root, colours) {
  const { style } = root;
  style.setProperty("--ground", css(colours.water));
  style.setProperty("--ink", css(colours.ink));
  style.setProperty("--line", css(colours.line));
  style.setProperty("--plate", css(colours.ground, 0.88));
  style.setProperty("--tip", css(colours.ink, 0.94));
  style.setProperty("--tip-ink", css(colours.ground));
}

const ROOM = 44; // pixels above and below the ground: titles, scale bar
const between = (least, value, most) => Math.round(Math.max(least, Math.min(value, most)));

// Where each pane lies in the whole, in pixels: beside each other, one above the other where it is narrow; `low` is the
// height of the whole where the page has room for no more, `proportion` how wide the ground is for its height: a pane is
// as high as the ground then needs.
export function placesOf(n, width, low, proportion) {
  const narrow = width < (low ? 420 : 640);
  const wide = width > 1100;
  const high = (across, least, most) => low ?? between(least, across / proportion + ROOM, most);
  if (n === 1) {
    const height = narrow ? high(width, 320, 380) : high(width, 420, wide ? 640 : 540);
    return { height, panes: [{ x: 0, y: 0, width, height }] };
  }
  if (narrow) {
    const height = low ? low / 2 : high(width, 260, 320);
    return { height: 2 * height, panes: [0, 1].map((i) => ({ x: 0, y: i * height, width, height })) };
  }
  const half = width / 2;
  const height = high(half, 320, wide ? 580 : 480);
  return { height, panes: [0, 1].map((i) => ({ x: i * half, y: 0, width: half, height })) };
}

export function drawTitles(box, panes, places, colours) {
  box.querySelectorAll(".title, .parting").forEach((one) => one.remove());
  panes.forEach((pane, index) => {
    const title = element("div", "title");
    if (colours[pane.what]) { // differences have several, which the legend names
      const mark = element("i");
      mark.style.background = css(colours[pane.what]);
      title.append(mark);
    }
    title.append(pane.title);
    title.style.left = `${places[index].x + 8}px`;
    title.style.top = `${places[index].y + 8}px`;
    if (panes.length === 1 || places[1].y > 0) title.style.maxWidth = "calc(100% - 70px)";
    box.append(title);
  });
  if (panes.length > 1) {
    const line = element("div", "parting");
    const second = places[1];
    Object.assign(line.style, second.x
      ? { left: `${second.x - 1}px`, top: 0, width: "2px", height: "100%" }
      : { left: 0, top: `${second.y - 1}px`, width: "100%", height: "2px" });
    box.append(line);
  }
}

// Keep a tooltip inside the map, whatever its length.
export function placeTip(tip, lines, x, y, width, height) {
  tip.hidden = !lines;
  if (!lines) return;
  tip.replaceChildren(...lines.map((line, index) => element(index ? "div" : "b", "", line)));
  tip.style.left = "0px";
  tip.style.top = "0px";
  const { offsetWidth: wide, offsetHeight: high } = tip;
  const left = x + 14 + wide > width ? x - 14 - wide : x + 14;
  const top = y + 14 + high > height ? y - 14 - high : y + 14;
  tip.style.left = `${Math.max(4, Math.min(left, width - wide - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(top, height - high - 4))}px`;
}

export function drawScaleBar(bar, metersPerPixel) {
  const meters = roundDown(metersPerPixel * 110);
  const line = element("b");
  line.style.width = `${meters / metersPerPixel}px`;
  bar.replaceChildren(meters >= 1000 ? `${counted(meters / 1000)} km` : `${meters} m`, line);
}

// A low map has one line of legend: which colour is what, and how wide the widest is. `hint`, what the wheel does, stands
// below the map too, where it covers nothing, and is as wide whatever it says: nothing moves when a click changes it.
export function drawLegend(legend, series, scales, sent, said, hint) {
  const { colours, low, panes, words } = sent;
  const parts = [];
  if (panes[0].filled) {
    const item = element("span");
    const bar = element("i");
    const [from, to] = [0, 1].map((share) => css(filled(sent, share)));
    Object.assign(bar.style, {
      width: "8rem", height: "0.8rem", border: `1px solid ${css(colours.line)}`, background: `linear-gradient(to right, ${from}, ${to})`,
    });
    item.append("0", bar, words.there.replace("{n}", counted(scales.most)));
    parts.push(item);
  }
  for (const { kind, words } of series) {
    const item = element("span");
    const mark = element("i");
    Object.assign(mark.style, { width: "12px", height: "12px", borderRadius: "3px", background: css(colours[kind]) });
    item.append(mark, words);
    parts.push(item);
  }
  const round = roundDown(scales.top);
  const widths = low ? [round].filter((one) => one > 1) : [round, roundDown(round / 3), roundDown(round / 20)];
  for (const value of [...new Set(widths)].filter((one) => one >= 1)) {
    const item = element("span");
    const line = element("i");
    const strength = scales.strength(value);
    Object.assign(line.style, {
      width: "34px", height: `${Math.max(1, scales.width(value))}px`,
      background: css(colours[series.length === 1 ? series[0].kind : "ink"], 0.25 + 0.75 * strength),
    });
    item.append(line, words.legend ? words.legend[value === 1 ? 0 : 1].replace("{n}", counted(value)) : trips(value));
    parts.push(item);
  }
  const total = panes[0].filled ? 0 : roundDown(scales.most);
  if (total >= 1 && !low) {
    const item = element("span");
    const circle = element("i");
    const size = `${2 * scales.radius(total)}px`;
    Object.assign(circle.style, {
      width: size, height: size, borderRadius: "50%", border: `1.5px solid ${css(colours.ink)}`, boxSizing: "border-box",
    });
    item.append(circle, words.there ? words.there.replace("{n}", counted(total)) : `${ends(total)} there`);
    parts.push(item);
  }
  if (!low) parts.push(...(said ? [element("em", "", said)] : []), hint);
  legend.replaceChildren(...parts);
}
