// Decides whether the first record of a delimited file names its columns, and whether it looks like the data below it.

import { type CellType, cellType } from '../../src/table/index.ts';

type Record = readonly string[];

/**
 * The first record is a header unless it resembles the rows below it: a date or an address above others of its kind, or
 * only numbers above mostly numbers.
 */
export function isHeader(names: Record, data: readonly Record[]): boolean {
  const types = names.map(cellType);
  const filled = types.filter((type) => type !== 'empty');
  if (data.length === 0) return filled.length === 0 || filled.some((type) => type === 'text');
  const alike = types.filter((type, column) =>
    data.some((row) => sameKind(type, cellType(row[column] ?? ''))),
  );
  if (alike.some((type) => type === 'date' || type === 'address')) return false;
  if (filled.some((type) => type === 'text' || type === 'boolean')) return true;
  return alike.length * 2 < filled.length || filled.length === 0;
}

const isNumeric = (type: CellType): boolean => type === 'integer' || type === 'number';

function sameKind(a: CellType, b: CellType): boolean {
  return a !== 'empty' && (a === b || (isNumeric(a) && isNumeric(b)));
}

/** Sum of evidence at which a header looks like data. */
const ENOUGH = 2;

/**
 * True if a header has values like those below it: a number within the range of its column, a text that recurs in it,
 * or one of the same form. A word above numbers or dates is evidence for a name, and so are years and other numbers in
 * a series, which name columns as often as they fill them.
 */
export function looksLikeData(names: Record, data: readonly Record[]): boolean {
  // A file that repeats its header, such as one made of several.
  if (data.length === 0 || data.some((row) => names.every((name, at) => row[at] === name))) return false;
  const isSeries = areSeries(names.filter((name) => isNumeric(cellType(name))));
  let evidence = 0;
  for (const [at, name] of names.entries()) {
    const below = data.map((row) => row[at] ?? '').filter((cell) => cell.trim() !== '');
    const type = cellType(name);
    if (below.length === 0 || type === 'empty') continue;
    const types = below.map(cellType);
    if (isNumeric(type)) {
      if (types.every(isNumeric) && !isSeries && names[0] !== '' && isInRange(name, below))
        evidence += ENOUGH;
    } else if (types.every((other) => isNumeric(other) || other === 'date')) return false;
    else if (/\d/.test(name) && below.every((cell) => formOf(cell) === formOf(name))) evidence += ENOUGH;
    else evidence += Math.min(ENOUGH, below.filter((cell) => cell === name).length);
  }
  return evidence >= ENOUGH;
}

const numberIn = (cell: string): number => Number(cell.replace(/[ '%]/g, '').replace(',', '.'));

/** Two or more numbers that rise by one, as in `2019,2020,2021` and `1,2,3`. */
const areSeries = (numbers: Record): boolean =>
  numbers.length > 1 &&
  numbers.every((name, at) => at === 0 || numberIn(name) === numberIn(numbers[at - 1] ?? '') + 1);

/** True near the values of `below`; a year only above years. */
function isInRange(name: string, below: Record): boolean {
  const isYear = (cell: string): boolean => /^(?:19|20)\d\d$/.test(cell.trim());
  if (isYear(name)) return below.every(isYear);
  const values = below.map(numberIn);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max(high - low, Math.abs(high) / 2, 1);
  return numberIn(name) >= low - margin && numberIn(name) <= high + margin;
}

/** The form of a code: `INV-0042` and `INV-0007` have the same. */
const formOf = (cell: string): string =>
  cell
    .slice(0, 100)
    .replace(/\p{Lu}/gu, 'A')
    .replace(/\p{L}/gu, (letter) => (letter === 'A' ? letter : 'a'))
    .replace(/\d/g, '9');
