// Counts → widths, radii and colours. The same scale holds for all panes of one map.

const WIDEST = 13; // pixels
const MOST_INKED = 0.13; // of a pane's pixels, that flows cover if none lies on another
const LARGEST = 15; // pixels of radius

// `long` says how long a flow of one row is, in pixels, and `area` how many pixels a pane has: where many flows are
// nearly as large as the largest, all are drawn thinner, so that the map stays to be seen below them.
export function scalesFrom(rowsOfPanes, totalsOfPanes, spacing, low, long, area) {
  const top = Math.max(1e-9, ...rowsOfPanes.map((rows) => rows[0]?.value ?? 0));
  const most = Math.max(1e-9, ...totalsOfPanes.flatMap((totals) => totals));
  const thin = top <= 1 ? 0.4 : 1; // one person's trips, each as wide as the others
  const lengths = rowsOfPanes.map((rows) => rows.reduce((sum, row) => sum + (row.value / top) * long(row), 0));
  const inked = (MOST_INKED * area) / Math.max(1, ...lengths);
  const widest = Math.max(2.2, Math.min(Math.max(3, Math.min(WIDEST, 0.45 * spacing) * thin), inked));
  const alone = rowsOfPanes.every((rows) => !rows.length); // without flows between them circles have more room
  const largest = Math.max(2.5, Math.min(LARGEST, (alone ? 0.6 : low ? 0.22 : 0.26) * spacing) * (alone ? 1 : thin));
  const share = (value) => Math.max(0, Math.min(1, value / top));
  return {
    top,
    most,
    width: (value) => 1 + (widest - 1) * share(value),
    radius: (total) => (total > 0 ? 1.5 + (largest - 1.5) * Math.sqrt(total / most) : 2),
    strength: (value) => 0.16 + 0.84 * Math.sqrt(share(value)),
  };
}

// A share of one colour, the rest of it the other's.
export const mixed = (colour, other, share) => colour.map((part, index) => Math.round(part * share + other[index] * (1 - share)));

// Small flows fade into the ground; large ones have the full colour.
export function colourOf(colour, ground, strength, seen = 1) {
  return [...mixed(colour, ground, strength), Math.round((90 + 165 * strength) * seen)];
}

// The largest number of one digit (or 2, 5) that is not above a value.
export function roundDown(value) {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((digit) => digit * power).find((one) => one <= value) ?? power;
}

export const counted = (value) => Math.round(value).toLocaleString("en-US");

export const trips = (value) => `${counted(value)} trip${Math.round(value) === 1 ? "" : "s"}`;

export const ends = (value) => `${trips(value)} ${Math.round(value) === 1 ? "begins or ends" : "begin or end"}`;
