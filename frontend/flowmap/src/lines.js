// Flows as flowmap.gl draws them, which a reader can point at.

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
