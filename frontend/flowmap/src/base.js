// What lies below the zones: land and borders of the world kept with the lab, or streets where someone asks for them.

import { BitmapLayer, PolygonLayer } from "@deck.gl/layers";
import { feature, mesh } from "topojson-client";
import { thinLines } from "./lines.js";
import { edgesOf } from "./payload.js";

const WORLD = new URL("./world.json", import.meta.url).href;
const MOST_TILES = 64;
let world = null; // one promise for all maps of the page

// Land as [{rings, box}] and borders as [{path, box}], each with its west, south, east and north.
export function loadedWorld() {
  world ??= fetch(WORLD)
    .then((answer) => answer.json())
    .then((topology) => {
      const land = feature(topology, topology.objects.land);
      const polygons = (land.features ?? [land]).flatMap(({ geometry }) =>
        geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates);
      const borders = mesh(topology, topology.objects.countries, (one, other) => one !== other);
      return {
        land: polygons.map((rings) => ({ rings, box: boxOf(rings[0]) })),
        borders: borders.coordinates.map((path) => ({ path, box: boxOf(path) })),
      };
    });
  return world;
}

// What of the world lies in a view and one view's width around it: all of it is dear to draw where there is no graphics
// processor. `before` is given back while it still holds the view and is not far wider.
export function worldWithin(outlines, [west, south, east, north], before) {
  const wide = east - west;
  const high = north - south;
  if (before) {
    const [left, low, right, top] = before.box;
    const holds = left <= west && low <= south && right >= east && top >= north;
    if (holds && right - left < 12 * wide) return before;
  }
  const box = [west - wide, south - high, east + wide, north + high];
  const land = outlines.land.filter((one) => meet(one.box, box)).map((one) => one.rings.map((ring) => ringWithin(ring, box)))
    .filter((rings) => rings[0].length > 2).map((rings) => rings.filter((ring) => ring.length > 2));
  const borders = outlines.borders.filter((one) => meet(one.box, box)).flatMap((one) => partsWithin(one.path, box));
  const closed = (ring) => [...ring, ring[0]]; // what is cut ends before its first point
  return { box, land, coasts: land.flat().flatMap((ring) => edgesOf(closed(ring))), borders: borders.flatMap(edgesOf) };
}

function boxOf(path) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon, lat] of path) {
    box[0] = Math.min(box[0], lon);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lon);
    box[3] = Math.max(box[3], lat);
  }
  return box;
}

const meet = (one, other) => one[0] <= other[2] && one[2] >= other[0] && one[1] <= other[3] && one[3] >= other[1];

// A ring cut at the four sides of a box, one after the other (Sutherland and Hodgman).
function ringWithin(ring, box) {
  let left = ring;
  for (let side = 0; side < 4; side++) {
    const axis = side % 2;
    const sign = side < 2 ? 1 : -1;
    const inside = (point) => sign * (point[axis] - box[side]) >= 0;
    const kept = [];
    for (let i = 0; i < left.length; i++) {
      const from = left[(i + left.length - 1) % left.length];
      const to = left[i];
      if (inside(from) !== inside(to)) {
        const share = (box[side] - from[axis]) / (to[axis] - from[axis]);
        kept.push([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
      }
      if (inside(to)) kept.push(to);
    }
    left = kept;
  }
  return left;
}

// The runs of a path whose segments may cross a box.
function partsWithin(path, box) {
  const parts = [];
  let part = null;
  for (let i = 1; i < path.length; i++) {
    if (meet(boxOf([path[i - 1], path[i]]), box)) {
      if (!part) parts.push((part = [path[i - 1]]));
      part.push(path[i]);
    } else part = null;
  }
  return parts;
}

export function worldLayers({ land, coasts, borders }, colours) {
  return [
    new PolygonLayer({ id: "land", data: land, getPolygon: (rings) => rings, getFillColor: colours.land, stroked: false }),
    thinLines("coasts", coasts, colours.border, 1),
    thinLines("borders", borders, colours.border, 1.2),
  ];
}

// Street tiles that cover the view, from the one public server that the page's rules let through.
export function tileLayers(viewport, dark) {
  const zoom = Math.max(0, Math.min(18, Math.round(viewport.zoom)));
  const n = 2 ** zoom;
  const [west, south, east, north] = viewport.getBounds();
  const row = (lat) => {
    const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180);
    return (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * n;
  };
  const degrees = (y) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / n))) * 180) / Math.PI;
  const layers = [];
  for (let y = Math.max(0, Math.floor(row(north))); y <= Math.min(n - 1, Math.floor(row(south))); y++) {
    for (let x = Math.floor(((west + 180) / 360) * n); x <= Math.floor(((east + 180) / 360) * n); x++) {
      if (layers.length >= MOST_TILES) return layers;
      const column = ((x % n) + n) % n;
      const left = (x / n) * 360 - 180;
      layers.push(new BitmapLayer({
        id: `tile-${zoom}-${x}-${y}`,
        image: `https://a.basemaps.cartocdn.com/${dark ? "dark" : "light"}_all/${zoom}/${column}/${y}.png`,
        bounds: [left, degrees(y + 1), left + 360 / n, degrees(y)],
        onError: () => true,
      }));
    }
  }
  return layers;
}
