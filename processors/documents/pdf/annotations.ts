// Annotations of a page, as blocks at its end: form fields and comments.

import { plural, type Warning } from '../../../src/contract/index.ts';
import {
  type Block,
  type Byline,
  cleanText,
  commentBlock,
  type ListItem,
  linesBlock,
  listBlock,
} from '../../../src/document/index.ts';
import { dateOf, plainText } from './facts.ts';

const MOST_FIELDS = 500;
const MOST_COMMENTS = 200;
const MOST_CHARACTERS = 4000;

/** Annotations whose text is not on the page itself. */
const COMMENTS = new Set([
  'Text',
  'FreeText',
  'Highlight',
  'Underline',
  'Squiggly',
  'StrikeOut',
  'Stamp',
  'Caret',
  'Line',
  'Square',
  'Circle',
  'Polygon',
  'PolyLine',
  'Ink',
  'FileAttachment',
]);

/** The blocks for the annotations of page `page`: a list of fields, and notes `[^c1]`. Warns of what is left out. */
export function annotationBlocks(
  annotations: readonly unknown[],
  page: number,
  warn: (warning: Warning) => void,
): Block[] {
  const fields: string[] = [];
  const comments: { readonly by: Byline; readonly text: string }[] = [];
  let long = 0;
  for (const annotation of annotations) {
    if (typeof annotation !== 'object' || annotation === null) continue;
    const raw: Record<string, unknown> = { ...annotation };
    const { subtype } = raw;
    const isField = subtype === 'Widget';
    if (!isField && !(typeof subtype === 'string' && COMMENTS.has(subtype))) continue;
    const text = isField ? fieldOf(raw) : textIn(raw['contentsObj']);
    if (text === undefined) continue;
    if (isField) fields.push(text);
    else comments.push({ by: bylineIn(raw), text });
    if (text.endsWith(CUT)) long += 1;
  }
  const left = [
    ...(fields.length > MOST_FIELDS ? [plural(fields.length - MOST_FIELDS, 'form field')] : []),
    ...(comments.length > MOST_COMMENTS ? [plural(comments.length - MOST_COMMENTS, 'comment')] : []),
    ...(long > 0 ? [`the ends of ${plural(long, 'long text')} in them`] : []),
  ];
  if (left.length > 0)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `Page ${page} exceeds the limit on form fields and comments per page; left out: ${left.join(', ')}.`,
    });
  const items = fields
    .slice(0, MOST_FIELDS)
    .map((text): ListItem => ({ level: 0, marker: '-', text: cleanText(text) }));
  const notes = comments
    .slice(0, MOST_COMMENTS)
    .map(({ by, text }, index) => commentBlock(`c${index + 1}`, by, [cleanText(text)]));
  return items.length > 0 ? [linesBlock('Form fields:'), listBlock(items), ...notes] : notes;
}

/** A field with a value, and a box without one; passwords are not shown. */
function fieldOf(raw: Record<string, unknown>): string | undefined {
  if (raw['password'] === true || raw['pushButton'] === true) return undefined;
  const value = fieldValueOf(raw);
  if (value === undefined) return undefined;
  const name = plainText(raw['alternativeText']) ?? plainText(raw['fieldName']) ?? 'field';
  return `${name}: ${value}`;
}

function fieldValueOf(raw: Record<string, unknown>): string | undefined {
  const value = raw['fieldValue'];
  const isOn = typeof value === 'string' && value !== 'Off';
  if (raw['checkBox'] === true) return isOn ? 'yes' : 'no';
  if (raw['radioButton'] === true) {
    const choice = plainText(raw['buttonValue']);
    if (choice === undefined) return undefined;
    return isOn && value === choice ? choice : `not ${choice}`;
  }
  const text = Array.isArray(value) ? value.filter((item) => typeof item === 'string').join(', ') : value;
  return typeof text === 'string' && text.trim() !== '' ? oneParagraph(text) : undefined;
}

const bylineIn = (raw: Record<string, unknown>): Byline => ({
  author: textIn(raw['titleObj'])?.replace(/(?<![\s,;:])[\s,;:]+$/, ''),
  date: dateOf(raw['modificationDate']),
});

function textIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('str' in value) || typeof value.str !== 'string')
    return undefined;
  const text = oneParagraph(value.str);
  return text === '' ? undefined : text;
}

/** Ends a text that is cut. */
const CUT = ' \u2026 [cut]';

function oneParagraph(text: string): string {
  const start = text
    .slice(0, MOST_CHARACTERS)
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .trim();
  return text.length > MOST_CHARACTERS ? `${start}${CUT}` : start;
}
