// Zones → clusters of zones by zoom, and flows between zones → flows between clusters.
// Clusters follow from where zones lie alone, never from counts: the published map must not tell of true ones.

import { clusterLocations } from "@flowmap.gl/data";

const NEAREST = 12; // pixels between two zones below which they become one cluster
const ID = { getLocationId: (zone) => zone.index, getLocationLon: (zone) => zone.lon, getLocationLat: (zone) => zone.lat };

// Levels from far to near: {zoom, node: (Z,) index of each zone's node or -1, nodes: [{lon, lat, zones}]}.
export function levelsFrom(ground) {
  const zones = [];
  for (let index = 0; index < ground.lon.length; index++) {
    if (Number.isFinite(ground.lon[index])) {
      zones.push({ index, lon: ground.lon[index], lat: ground.lat[index] });
    }
  }
  const apart = levelFrom(Infinity, ground.lon.length, zones.map((zone) => ({ ...zone, zones: [zone.index] })));
  if (zones.length < 2) return [apart];
  const found = clusterLocations(zones, ID, () => 1, { radius: NEAREST, maxZoom: 18 });
  const members = new Map();
  const levels = [];
  for (const { zoom, nodes } of found) {
    const own = nodes.map((node) => {
      const inside = node.children ? node.children.flatMap((child) => members.get(child) ?? [child]) : [node.id];
      members.set(node.id, inside);
      return { lon: node.lon, lat: node.lat, zones: inside };
    });
    levels.push(levelFrom(zoom, ground.lon.length, own));
  }
  levels.reverse();
  if (levels.at(-1).nodes.length < zones.length) levels.push(apart); // zones in one place
  return levels;
}

function levelFrom(zoom, nZones, nodes) {
  const node = new Int32Array(nZones).fill(-1);
  nodes.forEach((one, index) => one.zones.forEach((zone) => (node[zone] = index)));
  return { zoom, node, nodes };
}

export function levelAt(levels, zoom) {
  let chosen = levels[0];
  for (const level of levels) if (level.zoom <= zoom + 0.5 || level === levels[0]) chosen = level;
  return chosen;
}

// Flows between the nodes of a level: {from, to, both, true, published, lost, false, keptTrue, keptPublished}.
export function flowsBetween(level, flows) {
  const { node, nodes } = level;
  const sums = new Map();
  const both = Boolean(flows.true && flows.published);
  for (let i = 0; i < flows.origin.length; i++) {
    const from = node[flows.origin[i]];
    const to = node[flows.destination[i]];
    if (from < 0 || to < 0 || from === to) continue;
    const key = from * nodes.length + to;
    let sum = sums.get(key);
    if (!sum) {
      sum = { from, to, both, true: 0, published: 0, lost: 0, false: 0, keptTrue: 0, keptPublished: 0, row: i, parts: 0 };
      sums.set(key, sum);
    }
    const before = flows.true ? flows.true[i] : 0;
    const after = flows.published ? flows.published[i] : NaN;
    const published = !Number.isNaN(after);
    sum.parts += 1;
    sum.true += before;
    if (published) sum.published += after;
    if (before > 0 && !published) sum.lost += before;
    if (before === 0 && published) sum.false += after;
    if (before > 0 && published) {
      sum.keptTrue += before;
      sum.keptPublished += after;
    }
  }
  return [...sums.values()];
}

// What one pane draws of them, largest first: at most n, [{...flow, kind, value}]. Lost, false and changed flows are of
// different sizes: the largest quarter of n of each such kind is drawn besides. Where true and published flows are known, a
// true one of which nothing is published is lost, and a published one without a true trip is false.
export function shownIn(pane, between, n, near) {
  const rows = [];
  for (const flow of between) {
    if (near !== undefined && flow.from !== near && flow.to !== near) continue;
    if (pane === "difference") {
      const changed = Math.abs(flow.keptPublished - flow.keptTrue);
      for (const [kind, value] of [["lost", flow.lost], ["false", flow.false], ["changed", changed]]) {
        if (value > 0) rows.push({ ...flow, kind, value });
      }
    } else if (flow[pane] > 0) rows.push({ ...flow, kind: kindIn(pane, flow), value: flow[pane] });
  }
  rows.sort((one, other) => other.value - one.value);
  const seen = { lost: 0, false: 0, changed: 0 };
  const of = (kind) => (kind in seen ? (seen[kind] += 1) : n);
  return rows.filter((row, place) => of(row.kind) <= n / 4 || place < n);
}

function kindIn(pane, flow) {
  if (!flow.both || flow.keptTrue > 0) return pane;
  return pane === "true" ? "lost" : "false";
}

export function totalsOf(level, totals) {
  return level.nodes.map((one) => one.zones.reduce((sum, zone) => sum + totals[zone], 0));
}

// --- boxes of west, south, east and north ------------------------------------------------------------------------

// Where a node lies, and its zones with their outlines.
export function boxesOfNode({ lon, lat, zones }, { boxes }) {
  return [[lon, lat, lon, lat], ...zones.filter((zone) => boxes.has(zone)).map((zone) => boxes.get(zone))];
}

export const holds = (box, [west, south, east, north]) =>
  box[0] <= west && box[1] <= south && box[2] >= east && box[3] >= north;

// A box made larger to hold others that lie within `reach` of its width and height around it: the rest is far out.
export function grown(box, reach, others) {
  const [wide, high] = [reach * (box[2] - box[0]), reach * (box[3] - box[1])];
  const around = [box[0] - wide, box[1] - high, box[2] + wide, box[3] + high];
  return joined([box, ...others.filter((one) => holds(around, one))]);
}

const joined = (boxes) => [0, 1, 2, 3].map((side) =>
  boxes.reduce((most, box) => (side < 2 ? Math.min : Math.max)(most, box[side]), side < 2 ? Infinity : -Infinity));
