// What Python sends → typed arrays. Names are text and are never read as HTML.

const KINDS = { f8: Float64Array, f4: Float32Array, u4: Uint32Array };

export function arrayFrom(packed) {
  if (!packed) return null;
  const text = atob(packed.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new KINDS[packed.kind](bytes.buffer);
}

export function groundFrom(sent) {
  const lon = arrayFrom(sent.lon);
  const lat = arrayFrom(sent.lat);
  const ring = { points: arrayFrom(sent.points), starts: arrayFrom(sent.starts), zone: arrayFrom(sent.ring_zone) };
  const outlines = [];
  for (let i = 0; i + 1 < ring.starts.length; i++) {
    const path = [];
    for (let at = ring.starts[i]; at < ring.starts[i + 1]; at++) {
      path.push([ring.points[2 * at], ring.points[2 * at + 1]]);
    }
    outlines.push({ zone: ring.zone[i], path });
  }
  const rivers = sent.decoration ? polygonsOf(sent.decoration) : [];
  const edges = outlines.flatMap(({ zone, path }) => edgesOf(path).map((ends) => ({ zone, ends })));
  return { ...sent, lon, lat, outlines, edges, rivers, banks: rivers.flat().flatMap(edgesOf), boxes: boxesOf(outlines) };
}

// The pairs of points next to each other on a path.
export const edgesOf = (path) => path.slice(1).map((point, at) => [path[at], point]);

// The polygons of GeoJSON, each its rings.
function polygonsOf({ features, geometry, type, coordinates }) {
  if (features) return features.flatMap(polygonsOf);
  if (geometry) return polygonsOf(geometry);
  return type === "MultiPolygon" ? coordinates : [coordinates];
}

// West, south, east and north of each zone that has outlines.
function boxesOf(outlines) {
  const boxes = new Map();
  for (const { zone, path } of outlines) {
    if (!boxes.has(zone)) boxes.set(zone, [Infinity, Infinity, -Infinity, -Infinity]);
    const box = boxes.get(zone);
    for (const [lon, lat] of path) {
      box[0] = Math.min(box[0], lon);
      box[1] = Math.min(box[1], lat);
      box[2] = Math.max(box[2], lon);
      box[3] = Math.max(box[3], lat);
    }
  }
  return boxes;
}

export function flowsFrom(sent) {
  const flows = {};
  for (const name of ["origin", "destination", "true", "published"]) flows[name] = arrayFrom(sent[name]);
  return flows;
}

// Places in the data, as pairs of longitude and latitude.
export function placesFrom(sent) {
  if (!sent) return [];
  const [lon, lat] = [arrayFrom(sent.lon), arrayFrom(sent.lat)];
  return Array.from(lon, (x, at) => [x, lat[at]]);
}
