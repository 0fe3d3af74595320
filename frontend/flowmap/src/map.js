// One map with one or two panes that move together: zones, their totals, and the flows between them.

import { Deck, MapView, WebMercatorViewport } from "@deck.gl/core";
import { ScatterplotLayer } from "@deck.gl/layers";
import { loadedWorld, tileLayers, worldLayers, worldWithin } from "./base.js";
import { STYLE, drawLegend, drawScaleBar, drawTitles, element, paint, placeTip, placesOf } from "./legend_and_scale_bar.js";
import { boxesOfNode, flowsBetween, grown, holds, levelAt, levelsFrom, shownIn, totalsOf } from "./levels.js";
import { PointedLines } from "./lines.js";
import { arrayFrom, flowsFrom, groundFrom, placesFrom } from "./payload.js";
import { colourOf, counted, ends, mixed, scalesFrom } from "./widths_and_colours.js";
import { inNumbers } from "./without_webgl.js";
import { placeLayers, zoneLayers } from "./zones.js";

const STEP = 80; // pixels that an arrow key moves the map
const REACH = 0.5; // of its width and height, by which the first view grows to hold what flows drawn in it touch
const ROUNDS = 4; // farther out fewer and other flows may be drawn
const EMPTY = 1.5; // pixels of radius of a zone without trips
const COARSE = window.matchMedia("(pointer: coarse)").matches;
const HINTS = COARSE
  ? { free: "Tap the map to move it", taken: "Tap beside the map to scroll the page" }
  : { free: "Click the map to zoom with the wheel", taken: "Esc gives the wheel back to the page" };
const DRAWN_BY_PROCESSOR = /swiftshader|llvmpipe|software|basic render/i;

// What the browser draws with: "none" where it offers no WebGL, "slow" without a graphics card, where smooth edges take more
// time than all the rest, else "fast".
let graphics = null;
function drawnWith() {
  if (graphics === null) {
    const context = document.createElement("canvas").getContext("webgl2");
    const names = context?.getExtension("WEBGL_debug_renderer_info");
    const slow = names && DRAWN_BY_PROCESSOR.test(context.getParameter(names.UNMASKED_RENDERER_WEBGL));
    graphics = !context ? "none" : slow ? "slow" : "fast";
    context?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return graphics;
}

export class FlowMap {
  constructor(parent) {
    this.root = element("div");
    this.host = parent.host ?? parent;
    const style = element("style");
    style.textContent = STYLE;
    this.box = element("div", "map");
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "group");
    this.picture = element("div", "picture");
    this.tip = element("div", "tip");
    this.tip.hidden = true;
    this.bar = element("div", "scale");
    this.hint = element("div", "hint");
    this.legend = element("div", "legend");
    this.box.append(this.picture, this.bar, this.tools(), this.tip);
    this.root.append(style, this.box, this.legend);
    parent.append(this.root);
    this.taken = false;
    this.moves = false; // whether the reader has chosen what is seen
    this.world = null;
    this.near = null; // the part of the world around the view
    this.listen();
  }

  // --- what comes in -------------------------------------------------------------------------------------------

  show(sent, say) {
    this.say = say;
    this.sent = sent;
    if (this.ground?.digest !== sent.ground.digest) {
      this.ground = groundFrom(sent.ground);
      this.levels = levelsFrom(this.ground);
      this.view = null;
    }
    this.flows = flowsFrom(sent.flows);
    this.totals = sent.panes.map((pane) => arrayFrom(pane.totals));
    this.data = placesFrom(sent.places);
    this.cache = new Map();
    const panes = sent.panes.map((pane) => pane.what).join(" ");
    if (this.seen !== panes) this.frame = null; // a published map is never framed by what a true one showed
    this.seen = panes;
    this.box.setAttribute("aria-label", `${sent.alt} Arrow keys move it, + and - zoom, Escape leaves it.`);
    paint(this.root, sent.colours);
    this.layout();
    if (sent.ground.world && !this.world) {
      loadedWorld().then((outlines) => {
        this.world = outlines;
        this.draw();
      });
    }
  }

  // Panes as large as the page has room for. A view that the reader has not chosen is fitted anew to another size or other
  // panes, and where other flows are drawn that it does not hold.
  layout() {
    const width = this.box.clientWidth;
    if (!width || !this.sent) return;
    const before = this.frame;
    this.place(width, before ?? this.sent.ground.bounds);
    if (!this.view || !this.moves) {
      this.home(!before);
      const same = before && this.fitted === width && holds(before, this.frame);
      if (same) this.frame = before;
      this.fitted = width;
      this.place(width, this.frame);
      this.fit();
    }
    drawTitles(this.box, this.sent.panes, this.places, this.sent.colours);
    this.draw();
  }

  place(width, frame) {
    const { height, panes } = placesOf(this.sent.panes.length, width, this.sent.low, this.proportion(frame));
    if (this.size?.height !== height || this.size?.width !== width) this.cache = new Map(); // widths follow the room
    this.size = { width, height };
    this.places = panes;
    this.box.style.height = `${height}px`;
  }

  // How wide the ground is for its height, as a map shows it.
  proportion([west, south, east, north]) {
    const unit = new WebMercatorViewport({ width: 1, height: 1, zoom: 0, longitude: west, latitude: south });
    const [[left, low], [right, high]] = [unit.projectFlat([west, south]), unit.projectFlat([east, north])];
    return (right - left) / Math.max(1e-9, high - low);
  }

  // Show the zones that hold nearly all trips, and those that a drawn flow touches unless they lie far out; of a chosen
  // zone's flows only where `chosen`, as no map should move below the hand that chooses one.
  home(chosen = true) {
    const { bounds } = this.sent.ground;
    this.moves = false;
    this.frame = bounds;
    for (let round = 0; round < ROUNDS; round++) {
      this.fit();
      const { level, rows, own } = this.scene();
      const touched = [...rows, ...((chosen && own) || [])].flat().flatMap(({ from, to }) => [from, to]);
      const boxes = [...new Set(touched)].flatMap((one) => boxesOfNode(level.nodes[one], this.ground));
      const frame = grown(bounds, REACH, boxes);
      if (holds(this.frame, frame)) break;
      this.frame = grown(this.frame, Infinity, [frame]);
    }
    this.fit();
  }

  fit() {
    const { width, height } = this.places[0];
    const [west, south, east, north] = this.frame;
    const padding = this.sent.low ? 6 : Math.min(34, width / 10);
    const fitted = new WebMercatorViewport({ width, height }).fitBounds([[west, south], [east, north]], {
      padding: { top: padding + 16, bottom: padding, left: padding, right: padding },
      maxZoom: 15,
    });
    this.view = { longitude: fitted.longitude, latitude: fitted.latitude, zoom: fitted.zoom, pitch: 0, bearing: 0 };
  }

  // --- what is drawn -------------------------------------------------------------------------------------------

  // Flows and totals of the level at hand; worked out once for each level and step of zoom.
  scene() {
    const level = this.sent.apart ? this.levels.at(-1) : levelAt(this.levels, this.view.zoom);
    const step = Math.round(2 * this.view.zoom) / 2;
    const { selected } = this.sent;
    const chosen = selected === null ? -1 : level.node[selected];
    const key = `${level.zoom} ${step}`;
    if (!this.cache.has(key)) {
      const between = flowsBetween(level, this.flows);
      const rows = this.sent.panes.map((pane) => shownIn(pane.what, between, this.sent.n_top));
      const own = chosen < 0 ? null : this.sent.panes.map((pane) => shownIn(pane.what, between, this.sent.n_top, chosen));
      const totals = this.totals.map((one) => (one ? totalsOf(level, one) : null));
      const spacing = this.spacing(level, step);
      const { width, height } = this.places[0];
      const long = this.lengthOf(level, step);
      const scales = scalesFrom(own ?? rows, totals.filter(Boolean), spacing, this.sent.low, long, width * height);
      this.cache.set(key, { level, rows, own, chosen, totals, scales });
    }
    return this.cache.get(key);
  }

  // Pixels of a degree of longitude, and by what a degree of latitude has to be divided to be as long.
  measures(zoom) {
    const [, south, , north] = this.ground.bounds;
    return { pixels: (512 * 2 ** zoom) / 360, middle: Math.cos((((south + north) / 2) * Math.PI) / 180) };
  }

  lengthOf(level, zoom) {
    const { pixels, middle } = this.measures(zoom);
    return ({ from, to }) => {
      const [one, other] = [level.nodes[from], level.nodes[to]];
      return pixels * Math.hypot(one.lon - other.lon, (one.lat - other.lat) / Math.max(0.1, middle));
    };
  }

  spacing(level, zoom) {
    const [west, south, east, north] = this.ground.bounds;
    const { pixels, middle } = this.measures(zoom);
    const inside = level.nodes.filter((one) => one.lon >= west && one.lon <= east && one.lat >= south && one.lat <= north);
    const area = Math.max(1e-9, (east - west) * ((north - south) / Math.max(0.1, middle))) * pixels * pixels;
    return Math.sqrt(area / Math.max(1, inside.length));
  }

  draw() {
    if (!this.places) return;
    if (this.broken) return this.inWords();
    const { colours, ground, panes } = this.sent;
    const scene = this.scene();
    const layers = [];
    if (ground.tiles) layers.push(...tileLayers(this.viewport(0), this.sent.dark));
    else if (this.world && ground.world) {
      this.near = worldWithin(this.world, this.viewport(0).getBounds(), this.near);
      layers.push(...worldLayers(this.near, colours));
    }
    layers.push(...zoneLayers(this.ground, this.sent, panes[0].filled ? this.totals[0] : null), ...placeLayers(this.data, colours));
    panes.forEach((pane, index) => layers.push(...this.paneLayers(pane.what, index, scene)));
    const views = panes.map((_, index) => new MapView({ id: `pane-${index}`, ...this.places[index], repeat: false }));
    const viewState = Object.fromEntries(views.map((view) => [view.id, this.view]));
    const controller = {
      scrollZoom: this.taken, dragPan: this.taken || !COARSE, dragRotate: false, touchRotate: false, keyboard: false,
      doubleClickZoom: true, touchZoom: this.taken || !COARSE,
    };
    const given = { layers, views, viewState, controller, ...this.size };
    if (this.deck) this.deck.setProps(given);
    else this.begin(given);
    if (this.broken) return;
    drawScaleBar(this.bar, this.viewport(0).metersPerPixel ?? this.metersPerPixel());
    drawLegend(this.legend, this.seriesOf(scene), scene.scales, this.sent, this.said(scene), this.hint);
    this.hint.textContent = HINTS[this.taken ? "taken" : "free"];
  }

  begin(given) {
    if (drawnWith() === "none") {
      this.broken = true;
      this.inWords();
      return;
    }
    this.deck = new Deck({
      parent: this.picture,
      ...given,
      touchAction: "pan-y",
      useDevicePixels: Math.min(2, window.devicePixelRatio || 1),
      deviceProps: { webgl: { antialias: drawnWith() === "fast" } },
      layerFilter: ({ layer, viewport }) => !layer.id.startsWith("pane-") || layer.id.startsWith(`${viewport.id}-`),
      onViewStateChange: ({ viewState, interactionState }) => {
        const { longitude, latitude, zoom } = viewState;
        this.moved({ longitude, latitude, zoom }, Object.values(interactionState ?? {}).some(Boolean));
      },
      onHover: (info) => this.hover(info),
      onClick: (info) => this.click(info),
      onLoad: () => this.leaveFocusToBox(),
      onAfterRender: () => this.rendered(),
      onError: (error) => {
        if (/webgl|device|context/i.test(String(error?.message ?? error))) {
          this.broken = true;
          this.inWords();
        } else console.error(error);
      },
      getCursor: ({ isDragging, isHovering }) => (isDragging ? "grabbing" : isHovering ? "pointer" : "grab"),
    });
  }

  leaveFocusToBox() {
    // deck.gl has its canvas take the focus, without a name: the box around it has one, and hears the keys.
    for (const canvas of this.picture.querySelectorAll("canvas")) canvas.tabIndex = -1;
  }

  paneLayers(what, index, { level, rows, own, chosen, totals, scales }) {
    const { colours } = this.sent;
    const at = (node) => [level.nodes[node].lon, level.nodes[node].lat];
    const data = (own ?? rows)[index].toReversed(); // the largest on top
    const faded = own ? rows[index].filter((row) => row.from !== chosen && row.to !== chosen).reverse() : [];
    const total = (one) => (totals[index] ? totals[index][one] : 0);
    const circles = level.nodes.map(({ lon, lat, zones }, one) => ({ node: one, position: [lon, lat], total: total(one), zones }))
      .filter(({ zones }) => !this.sent.places && !(this.sent.panes[index].filled && zones.some((zone) => this.ground.boxes.has(zone))));
    const radius = (node) => scales.radius(total(node));
    const empty = (one) => totals[index] && !(one.total > 0); // a small dot without a line: no trip begins or ends there
    const inside = colours[what] ?? colours.ink;
    const least = (row) => (row.kind === "lost" || row.kind === "false" ? 0.5 : 0); // small ones are to be seen too
    const colour = (row, seen) =>
      colourOf(colours[row.kind], colours.ground, Math.max(least(row), scales.strength(row.value)), seen);
    const lines = (id, shown, seen) => new PointedLines({
      id: `pane-${index}-${id}`, data: shown, pickable: true, drawOutline: true, outlineThickness: 1,
      outlineColor: [...colours.ground, 255], thicknessUnit: 12,
      getSourcePosition: (row) => at(row.from), getTargetPosition: (row) => at(row.to),
      getThickness: (row) => scales.width(row.value) / 24,
      getEndpointOffsets: (row) => [radius(row.from), radius(row.to)],
      getColor: (row) => colour(row, seen), getPickable: () => 1,
    });
    const layers = [];
    if (faded.length) layers.push(lines("faded", faded, 0.12));
    if (data.length) layers.push(lines("flows", data, 1));
    if (circles.length) layers.push(new ScatterplotLayer({
      id: `pane-${index}-circles`, data: circles, getPosition: (one) => one.position, radiusUnits: "pixels",
      getRadius: (one) => (empty(one) ? EMPTY : scales.radius(one.total)), stroked: true, lineWidthUnits: "pixels",
      getLineWidth: (one) => (one.node === chosen ? 3 : empty(one) ? 0 : 1.2),
      getLineColor: (one) => (one.node === chosen ? [...colours.ink, 255] : [...inside, 255]),
      getFillColor: (one) => (empty(one) ? [...colours.border, 255] : [...mixed(inside, colours.ground, 0.42), 240]), pickable: true,
      updateTriggers: { getLineWidth: chosen, getLineColor: [chosen, colours.ink] },
    }));
    return layers;
  }

  // What of the legend is drawn; all of it where nothing is.
  seriesOf({ rows, own }) {
    const kinds = new Set((own ?? rows).flat().map((row) => row.kind));
    const drawn = this.sent.legend.filter((one) => kinds.has(one.kind));
    return drawn.length ? drawn : this.sent.legend;
  }

  said({ level, rows, own }) {
    const clustered = level.nodes.some((node) => node.zones.length > 1);
    if (!this.sent.n_top) return ""; // no map of flows
    const parts = this.sent.panes.map((pane, index) => {
      const shown = (own ?? rows)[index].length;
      return `${pane.short ? `${pane.short}: ` : ""}${counted(shown)} of ${counted(pane.n_flows)} flows`;
    });
    const drawn = `${own ? "Drawn, of the chosen zone" : "Drawn, the largest"}: ${parts.join("; ")}.`;
    return clustered ? `${drawn} Zones that lie close are drawn as one, with their flows added: zoom in to part them.` : drawn;
  }

  // --- what a reader does --------------------------------------------------------------------------------------

  nameOf(node, level) {
    const { zones } = level.nodes[node];
    return zones.length === 1 ? this.ground.names[zones[0]] : `${counted(zones.length)} zones`;
  }

  hover({ object, layer, x, y }) {
    placeTip(this.tip, object ? this.linesOf(object, layer.id) : null, x, y, this.size.width, this.size.height);
  }

  linesOf(object, id) {
    const { level, totals } = this.scene();
    const { words } = this.sent;
    if (id.startsWith("zone-")) {
      const value = this.sent.panes[0].filled ? [words.there.replace("{n}", counted(this.totals[0][object.zone]))] : [];
      return [this.ground.names[object.zone], ...value];
    }
    if (id.endsWith("circles")) {
      const here = (pane, total) => (words.there ? words.there.replace("{n}", counted(total)) : `${pane.short}: ${ends(total)} here`);
      const lines = this.sent.panes.map((pane, index) => (totals[index] ? here(pane, totals[index][object.node]) : null));
      return [this.nameOf(object.node, level), ...lines.filter(Boolean)];
    }
    const lines = [`${this.nameOf(object.from, level)} → ${this.nameOf(object.to, level)}`];
    if (words.flow) return [...lines, words.flow.replace("{n}", counted(object.value))];
    if (this.flows.true) lines.push(`true: ${counted(object.true)}`);
    if (this.flows.published) lines.push(object.published ? `published: ${counted(object.published)}` : "not published");
    if (object.kind === "lost") lines.push(`lost: ${counted(object.value)}`);
    if (object.kind === "false") lines.push(`false: ${counted(object.value)}, no true trip`);
    if (object.kind === "changed") lines.push(`changed by ${counted(object.value)}`);
    return lines;
  }

  click({ object, layer, x, y }) {
    this.take(true);
    const { selected } = this.sent;
    const node = object && layer.id.endsWith("circles") ? this.scene().level.nodes[object.node] : null;
    let zone = null;
    if (node?.zones.length === 1) [zone] = node.zones;
    // The chosen zone lies below the flows that were drawn over it since, and perhaps below a circle of several zones.
    else if (selected !== null && this.groundAt(x, y) === selected) zone = selected;
    else if (node) return this.moved({ longitude: node.lon, latitude: node.lat, zoom: this.view.zoom + 1.5 });
    else if (object && layer.id.startsWith("zone-")) zone = object.zone;
    else return;
    if (this.sent.selectable) this.say(zone === selected ? null : zone);
  }

  groundAt(x, y) {
    return this.deck.pickObject({ x, y, layerIds: ["zone-ground"] })?.object?.zone ?? null;
  }

  take(taken) {
    if (this.taken === taken) return;
    this.taken = taken;
    this.box.classList.toggle("taken", taken);
    this.draw();
  }

  moved(change, byReader = true) {
    this.moves ||= byReader;
    this.view = { ...this.view, ...change };
    this.view.zoom = Math.max(0, Math.min(18, this.view.zoom));
    placeTip(this.tip, null);
    this.draw();
  }

  tools() {
    const tools = element("div", "tools");
    const button = (text, label, act) => {
      const made = element("button", "", text);
      made.type = "button";
      made.setAttribute("aria-label", label);
      made.title = label;
      made.addEventListener("click", act);
      tools.append(made);
    };
    button("+", "Zoom in", () => this.moved({ zoom: this.view.zoom + 1 }));
    button("−", "Zoom out", () => this.moved({ zoom: this.view.zoom - 1 }));
    button("⌂", "Show all zones", () => {
      this.home();
      this.draw();
    });
    return tools;
  }

  listen() {
    this.box.addEventListener("mouseleave", () => {
      this.take(false);
      placeTip(this.tip, null);
    });
    this.box.addEventListener("keydown", (event) => {
      const pan = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] }[event.key];
      if (pan && this.view) {
        const { width, height } = this.places[0];
        const [longitude, latitude] = this.viewport(0).unproject([width / 2 + pan[0], height / 2 + pan[1]]);
        this.moved({ longitude, latitude });
      } else if (event.key === "+" || event.key === "=") this.moved({ zoom: this.view.zoom + 0.5 });
      else if (event.key === "-") this.moved({ zoom: this.view.zoom - 0.5 });
      else if (event.key === "Escape") {
        if (this.sent.selected !== null) this.say(null);
        this.take(false);
      } else return;
      event.preventDefault();
    });
    this.beside = (event) => {
      if (COARSE && !event.composedPath().includes(this.box)) this.take(false);
    };
    document.addEventListener("pointerdown", this.beside);
    this.watcher = new ResizeObserver(() => this.layout());
    this.watcher.observe(this.box);
  }

  viewport(index) {
    const { width, height } = this.places[index];
    return new WebMercatorViewport({ width, height, ...this.view });
  }

  metersPerPixel() {
    return (40075016.7 * Math.cos((this.view.latitude * Math.PI) / 180)) / (512 * 2 ** this.view.zoom);
  }

  // For tests and benches: which answer has been drawn last, and where the map stands.
  rendered() {
    this.host.dataset.view = [this.view.longitude, this.view.latitude, this.view.zoom].join(" ");
    if (this.sent && this.host.dataset.drawn !== this.sent.digest) this.host.dataset.drawn = this.sent.digest;
  }

  inWords() {
    const { rows, level } = this.scene();
    inNumbers(this.box, this.sent, rows[0], (node) => this.nameOf(node, level), this.ground.names, this.totals[0]);
    this.box.style.height = "auto";
    this.legend.replaceChildren(); // there is no line or circle that it could explain
    this.host.dataset.drawn = this.sent.digest;
  }

  end() {
    this.watcher.disconnect();
    document.removeEventListener("pointerdown", this.beside);
    this.deck?.finalize();
    this.root.remove();
  }
}
