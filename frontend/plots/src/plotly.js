// Plotly with the kinds of traces that the lab's figures have, as a script of its own: lines are in its core.

import Plotly from "plotly.js/lib/core";
import bar from "plotly.js/lib/bar";
import box from "plotly.js/lib/box";
import heatmap from "plotly.js/lib/heatmap";
import modebar from "plotly.js/src/components/modebar";
import buttons from "plotly.js/src/components/modebar/buttons";

Plotly.register([bar, box, heatmap]);

// Beside the camera, the same picture as lines and letters, for papers. It has the place of a button that no figure of the lab shows,
// of a figure as JSON, so Plotly puts it there.
buttons.downloadJson = {
  name: "toSvg",
  title: "Download plot as an SVG",
  icon: {
    width: 20,
    height: 20,
    // The letters S, V and G.
    path:
      "M1 5H6V7H3V9H6V15H1V13H4V11H1Z M7 5H9L10 11.5L11 5H13L11 15H9Z M14 5H19V7H16V13H17V11H16.5V9H19V15H14Z",
  },
  click(figure) {
    const { filename, width, height } = figure._context.toImageButtonOptions;
    Plotly.downloadImage(figure, { format: "svg", filename, width, height });
  },
};
// The figure's own settings stay as they are: a page compares them at each drawing, and draws anew for as long as they differ.
const shown = modebar.manage;
modebar.manage = (figure) => {
  const settings = figure._context;
  const added = settings.modeBarButtonsToAdd;
  settings.modeBarButtonsToAdd = [...added, "downloadJson"];
  try {
    shown(figure);
  } finally {
    settings.modeBarButtonsToAdd = added;
  }
};

globalThis.Plotly = Plotly;

// A finger that is drawn over a figure moves the page, as beside it: Plotly would take it for a box to zoom into, and on a telephone, as wide
// as its figures, there is little beside them. A tap is a click all the same, which the browser makes of it.
document.addEventListener(
  "touchstart",
  (event) => {
    if (event.target.closest?.(".js-plotly-plot")) event.stopPropagation();
  },
  { capture: true, passive: true },
);
