// A DrawingML chart (ECMA-376 part 1, 21.2) or its 2014 extension as small data tables, from the values cached in the
// chart part. The embedded workbook is not opened.

import { type Block, cleanText, paragraphBlock, tableBlock } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { pairs } from '../words.ts';
import { drawingText } from './drawing-text.ts';

/** The content of a chart, as plain text. */
export interface Chart {
  /** `Bar chart`, `Treemap`, ...; `Chart` for a combination, and for kinds without a name here. */
  readonly kind: string;
  readonly title: string;
  /** Axis titles, in file order. */
  readonly axes: readonly string[];
  /** Each has a header row (a cell for the categories, then the series names) and one row per category. */
  readonly tables: readonly (readonly (readonly string[])[])[];
}

const MAX_SERIES = 256;
const MAX_POINTS = 10_000;

interface Series {
  readonly name: string;
  /** Text by point index; multi-level categories are joined. */
  readonly categories: ReadonlyMap<number, string>;
  readonly columns: readonly { readonly suffix: string; readonly values: ReadonlyMap<number, string> }[];
}

/** `root` is the root element of a chart part: `chartSpace`. */
export function readChart(root: XmlElement): Chart {
  const chart = root.child('chart');
  if (root.child('chartData')) return readExtendedChart(root);
  const series: Series[] = [];
  const axes: string[] = [];
  const kinds = new Set<string>();
  for (const group of chart?.child('plotArea')?.elements() ?? []) {
    const axis = group.name.endsWith('Ax') ? titleOf(group) : '';
    if (axis !== '') axes.push(axis);
    if (group.name.endsWith('Chart')) kinds.add(kindNamed(group.name));
    for (const one of group.elements('ser')) if (series.length < MAX_SERIES) series.push(readSeries(one));
  }
  return { kind: kindOf(kinds), title: chart ? titleOf(chart) : '', axes, tables: tablesOf(series) };
}

/** A chart as Markdown: a line with its name, then its tables. Empty without titles and data. */
export function chartBlocks(root: XmlElement): Block[] {
  const { kind, title, axes, tables } = readChart(root);
  if (title === '' && axes.length === 0 && tables.length === 0) return [];
  const names = [title, ...axes].filter((name) => name !== '').join('; ');
  const blocks = [paragraphBlock(`${kind}${names === '' ? '' : `: ${cleanText(names)}`}`)];
  for (const rows of tables) blocks.push(tableBlock(rows.map((row) => row.map((cell) => cleanText(cell)))));
  return blocks;
}

/** Names by the element of a plot (21.2.2) or the `layoutId` of an extended series. */
const KINDS = pairs(
  'area Area_chart bar Bar_chart bubble Bubble_chart doughnut Doughnut_chart line Line_chart pie Pie_chart ofPie Pie_chart ' +
    'radar Radar_chart scatter Scatter_chart stock Stock_chart surface Surface_chart boxWhisker Box-and-whisker_chart ' +
    'clusteredColumn Histogram funnel Funnel_chart regionMap Map_chart sunburst Sunburst_chart treemap Treemap ' +
    'waterfall Waterfall_chart',
);

const kindNamed = (name: string): string =>
  KINDS.get(name.replace(/(?:3D)?Chart$/, ''))?.replace('_', ' ') ?? 'Chart';

function kindOf(kinds: ReadonlySet<string>): string {
  const [kind = 'Chart', ...others] = kinds;
  return others.length > 0 ? 'Chart' : kind;
}

function titleOf(element: XmlElement): string {
  const text = element.at('title', 'tx');
  if (!text) return '';
  const rich = text.child('rich');
  return rich ? drawingText(rich) : pointsText(text);
}

function readSeries(element: XmlElement): Series {
  const points = (...names: readonly string[]): ReadonlyMap<number, string> => {
    for (const name of names) {
      const found = element.child(name);
      if (found) return readPoints(found, name === 'cat' || name === 'xVal');
    }
    return new Map();
  };
  const name = element.child('tx');
  const sizes = points('bubbleSize');
  return {
    name: name ? pointsText(name) : '',
    categories: points('cat', 'xVal'),
    columns: [
      { suffix: '', values: points('val', 'yVal') },
      ...(sizes.size > 0 ? [{ suffix: ' (size)', values: sizes }] : []),
    ],
  };
}

/** All points of a reference as one text. */
function pointsText(element: XmlElement): string {
  const points = [...readPoints(element, false).values()];
  return (points.length > 0 ? points.join(' ') : (element.child('v')?.text() ?? '')).trim();
}

/** Points of the cached copy (`strCache`, `numCache`) or literal below a reference. */
function readPoints(element: XmlElement, dated: boolean): Map<number, string> {
  let found = new Map<number, string>();
  const holder = element.elements().find((child) => /Ref$|Lit$/.test(child.name)) ?? element;
  const kept = holder.elements().find((child) => child.name.endsWith('Cache')) ?? holder;
  const levels = kept.elements('lvl');
  // The innermost level comes first in the file.
  const lists = levels.length > 0 ? levels.slice(0, 8).reverse() : [kept];
  const isDate =
    dated &&
    /(?:^|[^\\"[])[ymd]/i.test(
      kept
        .child('formatCode')
        ?.text()
        .replace(/\[[^\]]*\]?|"[^"]*"|General/g, '') ?? '',
    );
  for (const list of lists) {
    const texts = new Map<number, string>();
    for (const point of list.elements('pt')) {
      const index = Number(point.get('idx'));
      if (!Number.isSafeInteger(index) || index < 0 || texts.size >= MAX_POINTS) continue;
      const text = (point.child('v')?.text() ?? '').trim();
      texts.set(index, isDate ? dateText(text) : numberText(text));
    }
    found = nested(found, texts);
  }
  return found;
}

/** Combines inner categories with outer ones, which are stored only at the first point they cover. */
function nested(outer: ReadonlyMap<number, string>, inner: ReadonlyMap<number, string>): Map<number, string> {
  if (outer.size === 0) return new Map(inner);
  const starts = [...outer].sort(([a], [b]) => a - b);
  const joined = new Map<number, string>();
  let at = -1;
  for (const [index, text] of [...inner].sort(([a], [b]) => a - b)) {
    while ((starts[at + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= index) at += 1;
    const above = starts[at]?.[1] ?? '';
    joined.set(index, above === '' ? text : `${above} / ${text}`);
  }
  return joined;
}

/** A number in the 15 digits Office shows, without binary rounding noise; other text unchanged. */
function numberText(text: string): string {
  return /^-?\d+\.\d{14,}(?:E[+-]?\d+)?$/i.test(text) ? String(Number(Number(text).toPrecision(15))) : text;
}

/** A serial day of the 1900 system as an ISO date. */
function dateText(text: string): string {
  const serial = Number(text);
  if (text === '' || !Number.isFinite(serial) || serial < 61 || serial > 2_958_465) return text;
  const date = new Date(Math.round((serial - 25_569) * 86_400_000)).toISOString();
  return serial % 1 === 0 ? date.slice(0, 10) : date.slice(0, 16).replace('T', ' ');
}

/** Series with the same categories share a table. */
function tablesOf(series: readonly Series[]): string[][][] {
  const groups = new Map<string, Series[]>();
  for (const one of series) {
    const key = [...one.categories].map(([index, text]) => `${index}\u0000${text}`).join('\u0001');
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  const tables: string[][][] = [];
  for (const group of groups.values()) {
    const columns = group.flatMap((one) =>
      one.columns.map(({ suffix, values }) => ({ name: `${one.name}${suffix}`, values })),
    );
    const indices = new Set<number>();
    for (const one of group) {
      for (const index of one.categories.keys()) indices.add(index);
      for (const { values } of one.columns) for (const index of values.keys()) indices.add(index);
    }
    if (indices.size === 0 && columns.every(({ name }) => name === '')) continue;
    const categories = group[0]?.categories;
    const rows = [...indices]
      .sort((a, b) => a - b)
      .slice(0, MAX_POINTS)
      .map((index) => [
        categories?.get(index) ?? '',
        ...columns.map(({ values }) => values.get(index) ?? ''),
      ]);
    tables.push([['', ...columns.map(({ name }) => name)], ...rows]);
  }
  return tables;
}

/** Charts of Office 2016 (waterfall, treemap, ...): [MS-ODRAWXML] 2.24.3. */
function readExtendedChart(root: XmlElement): Chart {
  const chart = root.child('chart');
  const title = chart?.child('title');
  const tables: string[][][] = [];
  for (const data of root.child('chartData')?.elements('data').slice(0, MAX_SERIES) ?? []) {
    const columns = data
      .elements()
      .filter((one) => one.name === 'strDim' || one.name === 'numDim')
      .flatMap((one) => one.elements('lvl').slice(0, 8))
      .map((level) => {
        const values = new Map<number, string>();
        for (const point of level.elements('pt')) {
          const index = Number(point.get('idx'));
          if (Number.isSafeInteger(index) && index >= 0 && values.size < MAX_POINTS)
            values.set(index, point.text().trim());
        }
        return { name: level.get('name') ?? '', values };
      });
    const indices = new Set(columns.flatMap(({ values }) => [...values.keys()]));
    if (indices.size === 0) continue;
    tables.push([
      columns.map(({ name }) => name),
      ...[...indices]
        .sort((a, b) => a - b)
        .slice(0, MAX_POINTS)
        .map((index) => columns.map(({ values }) => values.get(index) ?? '')),
    ]);
  }
  const kinds = new Set<string>();
  for (const series of chart?.at('plotArea', 'plotAreaRegion')?.elements('series') ?? [])
    kinds.add(kindNamed(series.get('layoutId') ?? ''));
  return { kind: kindOf(kinds), title: title ? drawingText(title) : '', axes: [], tables };
}
