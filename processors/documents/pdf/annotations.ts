// Annotations of a page, as blocks at its end: filled form fields and comments.

import type { Block } from '../document.ts';
import { escapeText, type ListItem, listBlock } from '../markdown/index.ts';
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

/** The blocks for a page's annotations: a list of fields, and notes `[^c1]`. */
export function annotationBlocks(annotations: readonly unknown[]): Block[] {
  const fields: ListItem[] = [];
  const comments: Block[] = [];
  for (const annotation of annotations) {
    if (typeof annotation !== 'object' || annotation === null) continue;
    const raw: Record<string, unknown> = { ...annotation };
    if (raw['subtype'] === 'Widget') {
      const line = fields.length < MOST_FIELDS ? fieldOf(raw) : undefined;
      if (line !== undefined) fields.push({ level: 0, marker: '-', text: line });
    } else if (typeof raw['subtype'] === 'string' && COMMENTS.has(raw['subtype'])) {
      const comment = comments.length < MOST_COMMENTS ? commentOf(raw) : undefined;
      if (comment !== undefined) comments.push(`[^c${comments.length + 1}]: ${comment}\n`);
    }
  }
  return fields.length > 0 ? ['Form fields:\n', listBlock(fields), ...comments] : comments;
}

/** A field with a value; passwords are not shown. */
function fieldOf(raw: Record<string, unknown>): string | undefined {
  if (raw['password'] === true || raw['pushButton'] === true) return undefined;
  const value = fieldValueOf(raw);
  if (value === undefined) return undefined;
  const name = plainText(raw['alternativeText']) ?? plainText(raw['fieldName']) ?? 'field';
  return `${escapeText(name)}: ${escapeText(value)}`;
}

function fieldValueOf(raw: Record<string, unknown>): string | undefined {
  const value = raw['fieldValue'];
  if (raw['checkBox'] === true) return typeof value === 'string' && value !== 'Off' ? 'yes' : undefined;
  if (raw['radioButton'] === true)
    return typeof value === 'string' && value !== 'Off' && value === raw['buttonValue'] ? value : undefined;
  const text = Array.isArray(value) ? value.filter((item) => typeof item === 'string').join(', ') : value;
  return typeof text === 'string' && text.trim() !== '' ? oneParagraph(text) : undefined;
}

function commentOf(raw: Record<string, unknown>): string | undefined {
  const text = textIn(raw['contentsObj']);
  if (text === undefined) return undefined;
  const author = textIn(raw['titleObj'])?.replace(/[\s,;:]+$/, '');
  const date = dateOf(raw['modificationDate'])?.slice(0, 10);
  const day = date === undefined ? '' : ` (${date})`;
  const who = author === undefined ? '' : `${escapeText(author)}${day}: `;
  return `${who}${escapeText(text)}`;
}

function textIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('str' in value) || typeof value.str !== 'string')
    return undefined;
  const text = oneParagraph(value.str);
  return text === '' ? undefined : text;
}

function oneParagraph(text: string): string {
  return text
    .slice(0, MOST_CHARACTERS)
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .trim();
}
