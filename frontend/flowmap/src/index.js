// The component as streamlit calls it: once with each answer, with the same parent; what is returned ends it.

import { FlowMap } from "./map.js";

const maps = new WeakMap();

export default function flowmap({ data, parentElement, setTriggerValue }) {
  let map = maps.get(parentElement);
  if (!map) {
    map = new FlowMap(parentElement);
    maps.set(parentElement, map);
  }
  map.show(data, (zone) => setTriggerValue("picked", { zone }));
  return () => {
    map.end();
    maps.delete(parentElement);
  };
}
