// Plotly with the kinds of traces that the lab's figures have, as a script of its own: lines are in its core.

import Plotly from "plotly.js/lib/core";
import bar from "plotly.js/lib/bar";
import box from "plotly.js/lib/box";
import heatmap from "plotly.js/lib/heatmap";

Plotly.register([bar, box, heatmap]);
globalThis.Plotly = Plotly;
