// How crooked a scan is, from the slopes of its lines, and its text layer made straight: that follows lines that rise or
// fall across the page, so that words of neighbouring lines stand at one height.

/** Slopes from which lines leave their band, and up to which a scan is crooked rather than rotated. */
const LEAST = 0.002;
const MOST = 0.1;
/** Lines shorter than this many em, or fewer of them, do not show a slope. */
const LONG = 10;
const LEAST_LINES = 4;

/** True for lines long enough to show a slope. */
export const isLong = (length: number, size: number): boolean => length > LONG * size;

/** The slope that most of the lines have; 0 if the text is level, or rotated on purpose, or the lines are too few. */
export function usualSlope(slopes: readonly number[]): number {
  if (slopes.length < LEAST_LINES) return 0;
  const sorted = [...slopes].sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  if (Math.abs(middle) < LEAST || Math.abs(middle) > MOST) return 0;
  const alike = sorted.filter(
    (slope) => Math.abs(slope - middle) < Math.max(LEAST, 0.4 * Math.abs(middle)),
  ).length;
  return alike > 0.6 * sorted.length ? middle : 0;
}
