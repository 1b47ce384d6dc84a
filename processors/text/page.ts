// Reads one page of lines, fits it into the budget and returns it as a part.

import { isUtf8 } from 'node:buffer';
import {
  type Bytes,
  type Extent,
  type Next,
  type ProcessContext,
  plural,
  safeCut,
  type TextPart,
  type TextSource,
  throwIfAborted,
  wholeLength,
  withoutEnd,
} from '../../src/contract/index.ts';
import type { LineIndex, Newline } from '../../src/scan/index.ts';
import { bodyLength, byteLengthOf, lineLengths } from './line-lengths.ts';

/** Start of a page: `offset` is `character` UTF-16 units into `line` (1-based). */
export interface LinePosition {
  readonly offset: Bytes;
  readonly line: number;
  readonly character: number;
}

export const READ_BYTES: number = 64 * 1024;

/** Raw lines from `start` on: enough to fill the budget, or `maxLines`, or up to the last one requested. */
interface Gathered {
  readonly lines: readonly string[];
  /** The bytes that `lines` were decoded from. */
  readonly bytes: Uint8Array;
  /** True if the last of `lines` is complete (terminated, or the last of the file). */
  readonly whole: boolean;
}

async function gatherLines(
  text: TextSource,
  start: LinePosition,
  count: number,
  characters: number,
  newline: Newline,
  context: ProcessContext,
): Promise<Gathered> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const terminator = String.fromCharCode(newline);
  const pieces: Uint8Array[] = [];
  let decoded = '';
  let ended = 0;
  let position = start.offset;
  while (position < text.size && ended < count && decoded.length <= characters) {
    throwIfAborted(context.signal);
    const piece = await text.read(position, READ_BYTES);
    if (piece.length === 0) break;
    position += piece.length;
    pieces.push(piece);
    const fresh = decoder.decode(piece, { stream: position < text.size });
    decoded += fresh;
    for (let at = fresh.indexOf(terminator); at >= 0; at = fresh.indexOf(terminator, at + 1)) ended += 1;
  }
  const lines: string[] = [];
  let from = 0;
  while (from < decoded.length && lines.length < count) {
    const at = decoded.indexOf(terminator, from);
    const to = at < 0 ? decoded.length : at + 1;
    lines.push(decoded.slice(from, to));
    from = to;
  }
  const whole =
    lines.at(-1)?.endsWith(terminator) === true || (from >= decoded.length && position >= text.size);
  return {
    lines,
    bytes: pieces.length === 1 ? (pieces[0] ?? new Uint8Array()) : Buffer.concat(pieces),
    whole,
  };
}

export async function readPage(
  text: TextSource,
  index: LineIndex,
  start: LinePosition,
  last: number,
  newline: Newline,
  context: ProcessContext,
): Promise<TextPart | undefined> {
  const { limits, budget, selection } = context;
  // A page without lines or characters would make no progress.
  const count = Math.min(Math.max(1, limits.maxLines), last - start.line + 1);
  const gathered = await gatherLines(text, start, count, budget.characters + 1, newline, context);
  const width = selection.numbered ? String(Math.min(last, start.line + count - 1)).length : 0;
  const prefixOf = (i: number): string => {
    if (!selection.numbered) return '';
    const number = String(start.line + i).padStart(width);
    return i === 0 && start.character > 0 ? `${number}+ ` : `${number}: `;
  };
  // A continuation by cursor returns what was cut, so only the budget limits a line.
  const lineLength = selection.resume ? Number.POSITIVE_INFINITY : Math.max(1, limits.maxLineLength);
  const kept: string[] = [];
  let inside = false;
  for (const [i, line] of gathered.lines.entries()) {
    const body = withoutEnd(line, '\r\n');
    if (body.length > lineLength) {
      kept.push(body.slice(0, safeCut(body, lineLength)));
      inside = true;
      break;
    }
    kept.push(line);
    inside = i === gathered.lines.length - 1 && !gathered.whole;
  }
  const complete = !inside && start.offset === 0 && start.line + kept.length - 1 === index.count;
  const tokens = complete ? budget.tokens : budget.tokensBesideNotes;
  const characters = complete ? budget.characters : budget.charactersBesideNotes;
  let fitted = fitLines(kept, prefixOf, inside, tokens, characters, context);
  if (complete && fitted.cut)
    fitted = fitLines(
      kept,
      prefixOf,
      inside,
      budget.tokensBesideNotes,
      budget.charactersBesideNotes,
      context,
    );
  if (fitted.lines.length === 0) return undefined;
  // A walk ends with a definition or a section, but goes on behind a range of lines.
  const end = (selection.symbol ?? selection.section) ? last : index.count;
  return toPart(text, index, start, fitted.lines, fitted.inside, gathered, prefixOf, newline, context, end);
}

interface Fitted {
  readonly lines: readonly string[];
  /** The last line continues after the part that was kept. */
  readonly inside: boolean;
  readonly cut: boolean;
}

/** A line up to this length is left whole for the next page; the beginning of a longer one fills this page. */
const LONG_LINE = 200;
/** Maximum share of a page left empty before a long line. */
const MOST_EMPTY = 0.15;

/**
 * As many whole lines as fit the budget, then the beginning of a long line; also the beginning of a first line that is
 * too long.
 */
function fitLines(
  lines: readonly string[],
  prefixOf: (i: number) => string,
  inside: boolean,
  tokens: number,
  characters: number,
  { budget }: ProcessContext,
): Fitted {
  const view = lines.map((line, i) => prefixOf(i) + line).join('');
  if (budget.fits(view, tokens, characters)) return { lines, inside, cut: false };
  const within = view.slice(0, Math.max(0, Math.min(view.length, Math.floor(characters))));
  const room = budget.prefix(within, tokens);
  const kept: string[] = [];
  let used = 0;
  for (const [i, line] of lines.entries()) {
    const length = prefixOf(i).length + line.length;
    if (used + length > room) break;
    used += length;
    kept.push(line);
  }
  const next = lines[kept.length];
  const share = room - used - prefixOf(kept.length).length;
  const fills = kept.length === 0 || ((next?.length ?? 0) > LONG_LINE && share > MOST_EMPTY * room);
  const begun = next !== undefined && share > 0 && fills ? next.slice(0, safeCut(next, share)) : '';
  if (begun !== '') return { lines: [...kept, begun], inside: true, cut: true };
  return { lines: kept, inside: inside && kept.length === lines.length, cut: true };
}

async function toPart(
  text: TextSource,
  index: LineIndex,
  start: LinePosition,
  lines: readonly string[],
  inside: boolean,
  gathered: Gathered,
  prefixOf: (i: number) => string,
  newline: Newline,
  context: ProcessContext,
  end: number,
): Promise<TextPart> {
  const { selection, signal } = context;
  const content = lines.join('');
  if (start.offset === 0 && lines.length === index.count && content.trim() === '')
    context.warn({
      code: 'EMPTY_FILE',
      message: `The file contains only white space: ${plural(content.length, 'character')}.`,
    });
  if (content.includes('\ufffd') && !isUtf8(gathered.bytes.subarray(0, wholeLength(gathered.bytes))))
    context.warn({
      code: 'LOSSY_DECODE',
      message: 'Some bytes are not valid UTF-8 and are shown as \ufffd.',
    });
  const offset = start.offset + byteLengthOf(gathered.bytes, content);
  const lastLine = start.line + lines.length - 1;
  const shown: Extent[] = [{ unit: 'line', from: start.line, to: lastLine, of: index.count }];
  if (start.character > 0 || inside) {
    const whole = await lineLengths(text, index, start.line, inside ? lastLine : start.line, newline, signal);
    const [firstLine = ''] = lines;
    const stretch = (line: number, from: number, to: number, of: number): void => {
      const name = `line ${line}`;
      if (from <= Math.min(to, of)) shown.push({ unit: 'character', name, from, to: Math.min(to, of), of });
      // Only the line end is left; all characters were shown elsewhere.
      else if (of > 0) context.whole({ unit: 'character', name, of });
    };
    if (start.character > 0) {
      const to = start.character + bodyLength(firstLine, newline);
      stretch(start.line, start.character + 1, to, whole.first);
    }
    const lastText = lines.at(-1) ?? '';
    if (inside && !(start.character > 0 && lines.length === 1))
      stretch(lastLine, 1, lastText.length, whole.last);
  }
  const view = selection.numbered ? lines.map((line, i) => prefixOf(i) + line).join('') : undefined;
  let next: Next | undefined;
  const following = lastLine + 1;
  const request = following <= end ? { lines: spanOf(following, end) } : undefined;
  if (inside) {
    const [lastText = ''] = lines.slice(-1);
    const character = (lines.length === 1 ? start.character : 0) + lastText.length;
    next = { position: [offset, lastLine, character], ...(request && { skip: request }) };
  } else if (request) next = { position: [offset, following, 0], request };
  return { kind: 'text', text: content, ...(view !== undefined && { view }), shown, ...(next && { next }) };
}

const spanOf = (from: number, to: number): string => (from === to ? `${from}` : `${from}-${to}`);
