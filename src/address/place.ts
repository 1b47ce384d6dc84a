// The grammar of places: parses the fragment of an address, and prints it. docs/addresses.md describes it. Opens
// nothing; what the format of a file can select decides what a bare word means.

import { quoted, ReaderError, type RequestFields } from '../contract/index.ts';

/** The request field that selects a place. */
type Field = Exclude<keyof RequestFields, 'header' | 'bytes' | 'changes'>;

/** One place in a file, under the request field that selects it. `cells` of a sheet: `B4`, `B4:C9`, `B:C` or `4:9`. */
export type Place =
  | { readonly [F in Exclude<Field, 'sheet'>]: { readonly [_ in F]: string } }[Exclude<Field, 'sheet'>]
  | { readonly sheet: string; readonly cells?: string };

/** What addresses need to know about the format of a file; a `Processor` has it. */
export interface FormatPlaces {
  readonly name: string;
  readonly selects: readonly string[];
}

/** One form of each place, for messages, in the order they are listed. */
const EXAMPLES: Readonly<Record<Field, string>> = {
  pages: '#page=12',
  sheet: "#'My sheet'!B4:C9",
  section: '#section=7.2',
  table: '#table=3',
  comment: '#comment=4',
  pointer: '#/items/0',
  rows: '#row=5-7',
  columns: '#col=2-3',
  symbol: '#Reader.read',
  lines: '#L10-L20',
  region: '#xywh=0,0,100,80',
};

/** Keys of `key=value`. */
const KEYS: ReadonlyMap<string, Field> = new Map([
  ['page', 'pages'],
  ['slide', 'pages'],
  ['row', 'rows'],
  ['col', 'columns'],
  ['xywh', 'region'],
  ['section', 'section'],
  ['table', 'table'],
  ['comment', 'comment'],
]);
/** What a bare word may be; a format selects at most one of them by name. */
const NAMED = ['sheet', 'symbol', 'section'] as const;

const RANGE = /^(?:\d+(?:-\d*)?|-\d+)$/;
const LINES = /^L(?:(-\d+)|(\d+)(?:C\d+)?(?:(-)(?:L?(\d+)(?:C\d+)?)?)?)$/;
const NAME = /^'((?:[^']|'')+)'(?:!(.*))?$/s;
const PLAIN_NAME = /^(?!L\d)[\p{L}_][\p{L}\p{N}_.]*$/u;
const SHEET = /^(.+)!([^!]+)$/s;
const CELLS = /^(?:[A-Z]{1,3}\d{1,7}(?::[A-Z]{1,3}\d{1,7})?|[A-Z]{1,3}:[A-Z]{1,3}|\d{1,7}:\d{1,7})$/;
/** Characters that end or change an address, or do not show. */
const ENCODED = /[%#\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A path and the place in its file, for an address whose file is of `format`. @throws {ReaderError} BAD_INPUT */
export function parseAddress(
  address: string,
  format: FormatPlaces,
): { readonly path: string; readonly place?: Place } {
  const cut = address.lastIndexOf('#');
  if (cut < 0) return { path: address };
  return { path: address.slice(0, cut), place: parsePlace(address.slice(cut + 1), format) };
}

/** The address of a place, which `parseAddress` parses to the same place. `unit`: what `pages` counts. */
export function printAddress(path: string, place: Place, unit: 'page' | 'slide' = 'page'): string {
  return `${path}#${printed(place, unit).replace(ENCODED, encodeURIComponent)}`;
}

/** The request fields that select a place. */
export function requestOf(place: Place): Readonly<Record<string, string>> {
  if (!('sheet' in place) || place.cells === undefined) return { ...place };
  const [first = '', last = first] = place.cells.split(':');
  const [columns, rows] = [/[A-Z]+/, /\d+/].map((part) => [part.exec(first)?.[0], part.exec(last)?.[0]]);
  return {
    sheet: place.sheet,
    ...(rows?.[0] !== undefined && { rows: rows.join('-') }),
    ...(columns?.[0] !== undefined && { columns: columns.join('-') }),
  };
}

/**
 * The place that `fragment` (percent-encoded, without `#`) names in a file of `format`.
 * @throws {ReaderError} BAD_INPUT, with the forms that the format takes
 */
export function parsePlace(fragment: string, format: FormatPlaces): Place {
  let text: string;
  try {
    text = decodeURIComponent(fragment);
  } catch (cause) {
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(`#${fragment}`)} is not percent-encoded.`,
      'Write `%25` for each `%` behind `#`.',
      cause,
    );
  }
  if (/^t=/.test(text))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(`#${fragment}`)} is a part of a recording, which cannot be read.`,
      'Read the whole recording, or cut it with another program first.',
    );
  // Rows of one of several tables are not a place of their own.
  const ofTable = format.selects.includes('table') ? ['rows', 'columns'] : [];
  const selects = format.selects.filter((field) => !ofTable.includes(field));
  const place = parsed(text, selects);
  if (place && Object.keys(requestOf(place)).every((field) => selects.includes(field))) return place;
  const forms = Object.entries(EXAMPLES).flatMap(([field, form]) =>
    selects.includes(field) ? [`\`${form}\``] : [],
  );
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(`#${fragment}`)} is not a place in ${format.name} files.`,
    forms.length > 0 ? `Use a form such as ${forms.join(', ')}, or omit it.` : 'Omit it.',
  );
}

/** Undefined for no known form. */
function parsed(text: string, selects: readonly string[]): Place | undefined {
  if (text.startsWith('/') || (text === '' && selects.includes('pointer'))) return { pointer: text };
  const lines = selects.includes('lines') ? LINES.exec(text) : null;
  if (lines) {
    const [, last, from, dash = '', to = ''] = lines;
    return { lines: last ?? `${from}${dash}${to}` };
  }
  const [, key, value = ''] = /^([a-z]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined) return named(text, selects);
  const field = KEYS.get(key);
  switch (field) {
    case undefined:
      return undefined;
    case 'pages':
    case 'rows': {
      const ranges = value.replaceAll(/-\*(?=,|$)/g, '-');
      const all = field === 'pages' ? ranges.split(',') : [ranges];
      return all.every((one) => RANGE.test(one)) ? placeOf(field, ranges) : undefined;
    }
    case 'region': {
      const region = value.replace(/^pixel:/, '');
      return /^\d+(?:,\d+){3}$/.test(region) ? { region } : undefined;
    }
    default:
      return value === '' ? undefined : placeOf(field, value);
  }
}

/** A sheet with or without cells, a symbol or a section. */
function named(text: string, selects: readonly string[]): Place | undefined {
  const field = NAMED.find((one) => selects.includes(one));
  if (field === undefined || text === '') return undefined;
  const [, inQuotes, behind] = NAME.exec(text) ?? [];
  if (inQuotes !== undefined) {
    const name = inQuotes.replaceAll("''", "'");
    return behind === undefined ? placeOf(field, name) : cellsOf(field, name, behind);
  }
  if (text.startsWith("'")) return undefined;
  const [, sheet = '', range = ''] = SHEET.exec(text) ?? [];
  return cellsOf(field, sheet, range) ?? placeOf(field, text);
}

function cellsOf(field: Field, sheet: string, range: string): Place | undefined {
  const cells = range.replaceAll('$', '').toUpperCase();
  return field === 'sheet' && CELLS.test(cells) ? { sheet, cells } : undefined;
}

// One field and its text, which the type of a computed key cannot express.
const placeOf = (field: Field, value: string): Place => ({ [field]: value }) as Place;

function printed(place: Place, unit: string): string {
  if ('sheet' in place)
    return `${nameText(place.sheet)}${place.cells === undefined ? '' : `!${place.cells}`}`;
  if ('symbol' in place) return nameText(place.symbol);
  if ('pointer' in place) return place.pointer;
  if ('lines' in place) return `L${place.lines.replace(/(?<=\d)-(?=\d)/, '-L')}`;
  if ('rows' in place) return `row=${place.rows.replace(/-$/, '-*')}`;
  if ('pages' in place) return `${unit}=${place.pages.replaceAll(/-(?=,|$)/g, '-*')}`;
  if ('columns' in place) return `col=${place.columns}`;
  if ('region' in place) return `xywh=${place.region}`;
  const [entry] = Object.entries(place);
  return entry === undefined ? '' : entry.join('=');
}

/** A name as Excel writes it in a reference. */
const nameText = (name: string): string => (PLAIN_NAME.test(name) ? name : `'${name.replaceAll("'", "''")}'`);
