// The sheets of an OpenDocument spreadsheet. Only its content part is required; styles name hidden sheets and page
// headers, and embedded objects may be charts.

import {
  type ProcessContext,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import { XmlWalk, type ZipFile } from '../../../src/package/index.ts';
import type { Drawn } from '../book/remarks.ts';
import type { BookSheet } from '../book/sheets.ts';
import { hasWords } from '../xlsx/page-margins.ts';
import { Styles } from '../xlsx/styles.ts';
import { odsTables } from './ods.ts';
import { OdsText } from './ods-text.ts';
import { openSheet } from './sheet.ts';

const MAX_PART_BYTES = 32 * 1024 * 1024;
/** Maximum embedded objects per sheet that are opened to see whether they are charts. */
const MAX_OPENED = 20;
const MAX_CHART_RANGES = 4;
/** A chart has three axes, and two more at its other sides. */
const MAX_AXES = 10;

interface Margins {
  readonly headers: string[];
  readonly footers: string[];
}

/** @throws {ReaderError} CORRUPT_FILE, LIMIT_EXCEEDED */
export async function openOds(
  zip: ZipFile,
  source: Source,
  context: ProcessContext,
  maxBytes: number,
): Promise<readonly BookSheet[]> {
  const content = (await partOf(zip, 'content.xml', maxBytes, context)) ?? '';
  throwIfAborted(context.signal);
  const tables = odsTables(content);
  if (!tables)
    throw new ReaderError(
      'CORRUPT_FILE',
      'The workbook cannot be read: its content is invalid.',
      'Open it in a spreadsheet program and save it as .xlsx.',
    );
  const margins = marginsOf((await partOf(zip, 'styles.xml', MAX_PART_BYTES, context)) ?? '');
  const styles = new Styles(undefined, false);
  return tables.map(({ name, isHidden, masterPage, sheet, drawn, hiddenValues }) => {
    const entry = { name, state: isHidden ? 'hidden' : 'visible', kind: 'worksheet', cost: 0 } as const;
    const open = async (): ReturnType<NonNullable<BookSheet['open']>> =>
      openSheet(entry, sheet, styles, {
        isOds: true,
        isPlain: context.selection.plain === true,
        hasFormulas: context.selection.formulas === true,
        file: source.name,
        hiddenValues,
        drawn: await objectsOf(drawn, zip, context),
        ...(margins.get(masterPage) ?? { headers: [], footers: [] }),
      });
    return { ...entry, open };
  });
}

async function partOf(
  zip: ZipFile,
  name: string,
  maxBytes: number,
  context: ProcessContext,
): Promise<string | undefined> {
  const entry = zip.get(name);
  return entry && (await zip.bytes(entry, maxBytes, context.signal)).toString('utf8');
}

/** Texts above and below the pages of each page style. */
function marginsOf(styles: string): ReadonlyMap<string, Margins> {
  const pages = new Map<string, Margins>();
  const walk = new XmlWalk(styles);
  let page: Margins | undefined;
  let margin: { readonly depth: number; readonly texts: string[] } | undefined;
  const text = new OdsText(true);
  while (walk.next()) {
    const place =
      walk.kind === 'text' ? undefined : /^(header|footer)(?:-left|-first)?$/.exec(walk.name)?.[1];
    if (margin) {
      if (walk.kind === 'close' && (walk.depth === margin.depth || walk.name.startsWith('region-'))) {
        const part = text.take().trim();
        if (hasWords(part) && !margin.texts.includes(part)) margin.texts.push(part);
        if (walk.depth === margin.depth) margin = undefined;
      } else text.step(walk);
    } else if (walk.kind === 'open' && walk.name === 'master-page') {
      page = { headers: [], footers: [] };
      pages.set(walk.attribute('name') ?? '', page);
    } else if (page && place !== undefined && walk.kind === 'open' && !walk.empty) {
      const isShown = walk.attribute('display') !== 'false';
      const texts = place === 'header' ? page.headers : page.footers;
      margin = { depth: walk.depth, texts: isShown ? texts : [] };
    }
  }
  return pages;
}

/** Objects with what their parts tell: charts, and addresses of parts that exist. */
async function objectsOf(drawn: readonly Drawn[], zip: ZipFile, context: ProcessContext): Promise<Drawn[]> {
  const objects: Drawn[] = [];
  let opened = 0;
  for (const { path, ...one } of drawn) {
    const part = zip.get(`${path}/content.xml`) ?? zip.get(path ?? '');
    const isRead = one.kind === 'embedded file' && part !== undefined && part.size <= MAX_PART_BYTES;
    const chart =
      isRead && ++opened <= MAX_OPENED
        ? chartOf((await partOf(zip, part.name, MAX_PART_BYTES, context)) ?? '')
        : undefined;
    objects.push({
      ...one,
      ...(part && { path: part.name }),
      ...(chart && { ...chart.facts, kind: 'chart', text: chart.title || one.text }),
    });
  }
  if (opened > MAX_OPENED)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `Of ${opened} objects on a sheet, only the first ${MAX_OPENED} were read; the others are listed without their text.`,
    });
  return objects;
}

/** The title of a chart, those of its axes and the cells it is drawn from; undefined for another object. */
function chartOf(
  content: string,
): { readonly title: string; readonly facts: Pick<Drawn, 'ranges' | 'axes'> } | undefined {
  const walk = new XmlWalk(content);
  const ranges = new Set<string>();
  const text = new OdsText();
  let title = '';
  const axes: string[] = [];
  let isChart = false;
  let inTitle = false;
  let inAxis = false;
  while (walk.next()) {
    if (inTitle) text.step(walk);
    if (walk.name === 'title' && walk.kind !== 'text') {
      const words = walk.kind === 'close' && inTitle ? text.take().trim() : '';
      if (inAxis && words !== '' && axes.length < MAX_AXES) axes.push(words);
      else if (!inAxis && title === '') title = words;
      inTitle = walk.kind === 'open' && !walk.empty;
    }
    if (walk.name === 'axis') inAxis = walk.kind === 'open' && !walk.empty;
    if (walk.kind !== 'open') continue;
    if (walk.name === 'chart') isChart = true;
    const range = walk.name === 'series' ? walk.attribute('values-cell-range-address') : undefined;
    if (range !== undefined && range !== '' && ranges.size <= MAX_CHART_RANGES)
      ranges.add(ranges.size < MAX_CHART_RANGES ? range.replaceAll('$', '').slice(0, 200) : '…');
  }
  return isChart ? { title, facts: { ranges: [...ranges], ...(axes.length > 0 && { axes }) } } : undefined;
}
