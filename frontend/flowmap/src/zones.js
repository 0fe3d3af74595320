// Zones and places, on which flows lie or which stand for themselves.

import { PolygonLayer, ScatterplotLayer } from "@deck.gl/layers";
import { thinLines } from "./lines.js";
import { mixed } from "./widths_and_colours.js";

const FAINTEST = 0.08; // how much of its colour a zone of 0 has,
const FULL = 0.8; // and how much more the largest

// The colour of a zone that holds a share of the most: none shows what lies below it, as it would be taken for more.
export const filled = ({ colours, panes }, share) => mixed(colours[panes[0].what], colours.ground, FAINTEST + FULL * share);

// The zones' ground and outlines, and rivers; `values` of zones, where given, fill them: darker where there are more.
export function zoneLayers({ outlines, edges, rivers, banks }, sent, values) {
  const { colours, selected } = sent;
  const layers = [];
  if (outlines.length) {
    layers.push(new PolygonLayer({
      id: "zone-ground", data: outlines, getPolygon: (one) => one.path, filled: true, stroked: false, pickable: true,
      getFillColor: values ? fillFrom(values, sent) : colours.zone, updateTriggers: { getFillColor: values },
    }));
  }
  if (rivers.length) {
    layers.push(new PolygonLayer({
      id: "decoration", data: rivers, getPolygon: (rings) => rings, filled: true, stroked: false, getFillColor: colours.river,
    }));
    layers.push(thinLines("banks", banks, colours.river, 1)); // however small, a river is to be seen
  }
  if (outlines.length) {
    layers.push(thinLines("zone-lines", edges, colours.outline, 1, (one) => one.ends));
    if (selected !== null) {
      const chosen = edges.filter((one) => one.zone === selected);
      layers.push(thinLines("zone-chosen", chosen, [...colours.ink, 255], 3, (one) => one.ends));
    }
  }
  return layers;
}

function fillFrom(values, sent) {
  const top = values.reduce((most, value) => Math.max(most, value), 0) || 1;
  return ({ zone }) => filled(sent, values[zone] / top);
}

export function placeLayers(places, colours) {
  if (!places.length) return [];
  return [new ScatterplotLayer({
    id: "places", data: places, getPosition: (place) => place, radiusUnits: "pixels", getRadius: 2, getFillColor: [...colours.true, 120],
  })];
}
