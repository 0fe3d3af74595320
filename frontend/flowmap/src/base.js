// What lies below the zones: land and borders of the world kept with the lab, or streets where someone asks for them.

import { BitmapLayer, GeoJsonLayer } from "@deck.gl/layers";
import { feature, mesh } from "topojson-client";

const WORLD = new URL("./world.json", import.meta.url).href;
const MOST_TILES = 64;
let world = null; // one promise for all maps of the page

export function loadedWorld() {
  world ??= fetch(WORLD)
    .then((answer) => answer.json())
    .then((topology) => ({
      land: feature(topology, topology.objects.land),
      borders: mesh(topology, topology.objects.countries, (one, other) => one !== other),
    }));
  return world;
}

export function worldLayers(outlines, colours) {
  return [
    new GeoJsonLayer({
      id: "land", data: outlines.land, filled: true, getFillColor: colours.land,
      stroked: true, getLineColor: colours.border, lineWidthUnits: "pixels", getLineWidth: 1,
    }),
    new GeoJsonLayer({
      id: "borders", data: outlines.borders, getLineColor: colours.border, lineWidthUnits: "pixels", getLineWidth: 1.2,
    }),
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
