// The address of a file inside a document (`survey.docx!/word/media/quay.png`), as accepted by `read`. Cached
// conversions are shared by all names of the same content, so converters write marks with the path only, and the
// document's name is inserted when a section is read.

import { oneLine } from '../contract/index.ts';

/** Control characters, which are removed from document text. */
const OPEN = '\u0002';
const CLOSE = '\u0003';
const MARK = new RegExp(`(\\]\\()?${OPEN}([^${OPEN}${CLOSE}\\n]*)${CLOSE}`, 'g');
/** Characters that hide, reorder or break a line: a path with any of them cannot be copied from the output. */
const HIDDEN = /[\p{Cc}\p{Cs}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/**
 * The mark of the file at `path` inside the document: the target of a link or picture, or a code span of its own. `''`
 * for a path that cannot be shown unchanged.
 */
export function memberMark(path: string): string {
  return path === '' || HIDDEN.test(path)
    ? ''
    : `${OPEN}${encodeURIComponent(path).replace(/[_*~]/g, encoded)}${CLOSE}`;
}

/** A character that has a meaning in Markdown. */
const encoded = (mark: string): string => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;

/** True for the result of `memberMark`. */
export const isMemberMark = (target: string): boolean =>
  target.startsWith(OPEN) && target.indexOf(CLOSE) === target.length - 1;

/** True if a mark stands in plain text, which then is about the file. */
export const namesMember = (text: string): boolean => text.includes(OPEN);

/** Replaces the marks in plain text, or a mark alone, by addresses in the document called `name`. */
export const withNames = (text: string, name: string): string =>
  text.includes(OPEN)
    ? text.replace(MARK, (_mark, _link, encoded: string) => addressOf(encoded, oneLine(name)))
    : text;

function addressOf(encoded: string, document: string): string {
  const path = decoded(encoded);
  return path === undefined ? '' : `${document}!/${path}`;
}

/** Replaces the marks in Markdown by addresses in the document called `name`; `inTable` escapes pipes. */
export function withMembers(markdown: string, name: string, inTable: boolean): string {
  if (!markdown.includes(OPEN)) return markdown;
  const document = oneLine(name);
  return markdown.replace(MARK, (_mark, link: string | undefined, encoded: string) => {
    const address = addressOf(encoded, document);
    const safe = inTable ? address.replaceAll('|', '\\|') : address;
    return link === undefined ? spanOf(safe) : `${link}${destinationOf(safe)}`;
  });
}

/** Undefined for text that no converter wrote. */
function decoded(encoded: string): string | undefined {
  try {
    const path = decodeURIComponent(encoded);
    return HIDDEN.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}

/** A CommonMark link destination with the exact address. */
function destinationOf(address: string): string {
  return /[\s()<>]/.test(address) ? `<${address.replace(/[<>]/g, '\\$&')}>` : address;
}

function spanOf(address: string): string {
  let fence = '`';
  while (address.includes(fence)) fence += '`';
  const pad = address.startsWith('`') || address.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${address}${pad}${fence}`;
}
