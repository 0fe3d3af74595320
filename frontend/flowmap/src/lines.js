// Flows as flowmap.gl draws them, which a reader can point at; and thin lines.

import { LineLayer } from "@deck.gl/layers";
import { FlowLinesLayer } from "@flowmap.gl/layers";

// flowmap.gl 9.4 reads which flow a pixel is of from colours that deck.gl hands out no more by itself since 9.4.
export class PointedLines extends FlowLinesLayer {
  static layerName = "PointedLines";

  initializeState() {
    this.getAttributeManager().addInstanced({
      instancePickingColors: { type: "uint8", size: 4, noAlloc: true, update: this.calculateInstancePickingColors },
    });
    super.initializeState();
  }
}

// Edge by edge, with nothing at their corners: without a graphics card a layer of paths took nearly half the time of a map.
export function thinLines(id, data, colour, width, ends = (one) => one) {
  return new LineLayer({
    id, data, getSourcePosition: (one) => ends(one)[0], getTargetPosition: (one) => ends(one)[1], getColor: colour,
    widthUnits: "pixels", getWidth: width,
  });
}
