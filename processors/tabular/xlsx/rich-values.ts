// Pictures and data types in cells: rich values, which cells refer to by metadata, and of which other programs see only
// the error `#VALUE!` ([MS-XLSX] 2.3.9 and 2.6.204).

import { XmlWalk } from '../../../src/package/index.ts';

/** The parts of a workbook about rich values; undefined if missing. */
export interface RichValueParts {
  readonly metadata: string | undefined;
  readonly values: string | undefined;
  readonly structures: string | undefined;
  /** The pictures that values refer to by index. */
  readonly pictures: readonly (string | undefined)[];
}

const MAX_VALUES = 200_000;
/** What a cell shows whose rich value is missing from the file. */
export const UNKNOWN_RICH_VALUE = '[picture or other rich value]';

/** The text of each rich value, by the number in a cell's `vm` attribute less 1; undefined for an error. */
export function richTexts({
  metadata,
  values,
  structures,
  pictures,
}: RichValueParts): (string | undefined)[] {
  if (metadata === undefined || values === undefined || structures === undefined) return [];
  const kinds = structuresOf(structures);
  const texts = valuesOf(values).map(({ structure, fields }) => {
    const kind = kinds[structure];
    if (!kind) return undefined;
    const field = (name: string): string | undefined => fields[kind.keys.indexOf(name)];
    if (!/image/i.test(kind.type)) return field('_DisplayString');
    const path = pictures[Number(field('_rvRel:LocalImageIdentifier') ?? Number.NaN)];
    const about = [field('Text') ?? '', path === undefined ? '' : `(${path})`].filter((text) => text !== '');
    return about.length === 0 ? '[picture]' : `[picture: ${about.join(' ')}]`;
  });
  return metadataOf(metadata).map((index) => texts[index]);
}

/** For each `vm` number, the index of its rich value. */
function metadataOf(xml: string): number[] {
  const walk = new XmlWalk(xml);
  const rich: number[] = [];
  const cells: number[] = [];
  let isRich = false;
  let inside = '';
  while (walk.next()) {
    if (walk.kind !== 'open') continue;
    if (walk.name === 'futureMetadata') {
      inside = walk.name;
      isRich = walk.attribute('name') === 'XLRICHVALUE';
    } else if (/^(?:cell|value)Metadata$/.test(walk.name)) inside = walk.name;
    else if (walk.name === 'rvb' && isRich && rich.length < MAX_VALUES)
      rich.push(Number(walk.attribute('i') ?? -1));
    else if (walk.name === 'rc' && inside === 'valueMetadata' && cells.length < MAX_VALUES)
      cells.push(rich[Number(walk.attribute('v') ?? -1)] ?? -1);
  }
  return cells;
}

function structuresOf(xml: string): { readonly type: string; readonly keys: string[] }[] {
  const walk = new XmlWalk(xml);
  const kinds: { readonly type: string; readonly keys: string[] }[] = [];
  while (walk.next() && kinds.length < MAX_VALUES) {
    if (walk.kind !== 'open') continue;
    if (walk.name === 's') kinds.push({ type: walk.attribute('t') ?? '', keys: [] });
    else if (walk.name === 'k') kinds.at(-1)?.keys.push(walk.attribute('n') ?? '');
  }
  return kinds;
}

function valuesOf(xml: string): { readonly structure: number; readonly fields: string[] }[] {
  const walk = new XmlWalk(xml);
  const values: { readonly structure: number; readonly fields: string[] }[] = [];
  let inField = false;
  while (walk.next() && values.length < MAX_VALUES) {
    const fields = values.at(-1)?.fields;
    if (walk.kind === 'text') {
      if (inField && fields) fields[fields.length - 1] += walk.text;
    } else if (walk.name === 'v') {
      inField = walk.kind === 'open' && !walk.empty;
      if (walk.kind === 'open') fields?.push('');
    } else if (walk.name === 'rv' && walk.kind === 'open')
      values.push({ structure: Number(walk.attribute('s') ?? 0), fields: [] });
  }
  return values;
}
