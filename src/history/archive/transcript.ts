// Renders a conversation as readable Markdown that contains every text in full, and records the position of each. The
// messages themselves are stored as JSON in a separate file.

import { oneLine } from '../../contract/index.ts';
import type { Item, MessageView } from '../codecs/message.ts';

/** A message, and the tool name of each item; for results, the name comes from their call. */
export interface TranscriptMessage {
  readonly view: MessageView;
  /** One per item; null if there is no tool or its name is unknown. */
  readonly names: readonly (string | null)[];
}

/** Position of a text in a transcript. */
export interface LineSpan {
  /** UTF-16 offset of its first character. */
  readonly from: number;
  /** UTF-16 offset after its last character. */
  readonly to: number;
  /**
   * Its first and last line, from 1, counted as by `read_file` and `sed`: LF ends a line, a lone CR does not. A
   * trailing line break adds no line, and no other text is on these lines.
   */
  readonly lines: readonly [first: number, last: number];
}

export interface Transcript {
  readonly text: string;
  /** By message, then by item; null for media and opaque parts, which have no text. */
  readonly places: readonly (readonly (LineSpan | null)[])[];
  /** Offset of each message's start, including its heading; it ends at the next start or the end of the text. */
  readonly starts: readonly number[];
}

/** Maximum characters of a name or id in a heading; content is never cut. */
const MAX_NAME = 120;
/** A text with a longer run of backticks than this is not fenced. */
const MAX_FENCE = 40;

/** The transcript of `messages`, numbered from 1. Takes time linear in their text. */
export function transcriptOf(messages: readonly TranscriptMessage[]): Transcript {
  const page = new Page();
  const starts: number[] = [];
  const places: (LineSpan | null)[][] = [];
  for (const [index, { view, names }] of messages.entries()) {
    starts.push(page.length);
    page.add(`## ${index + 1}. ${view.role}\n\n`);
    places.push(view.items.map((item, at) => itemOn(page, item, names[at] ?? item.toolName)));
    if (view.items.length === 0) page.add('(empty)\n\n');
  }
  return { text: page.text(), places, starts };
}

/** Text under construction. */
class Page {
  length = 0;
  #line = 1;
  readonly #pieces: string[] = [];

  /** Appends a piece and returns its position. A line break belongs to the line it ends. */
  add(piece: string): LineSpan {
    const [from, first] = [this.length, this.#line];
    this.#pieces.push(piece);
    this.length += piece.length;
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) this.#line += 1;
    return { from, to: this.length, lines: [first, this.#line - (piece.endsWith('\n') ? 1 : 0)] };
  }

  text(): string {
    return this.#pieces.join('');
  }
}

function itemOn(page: Page, item: Item, toolName: string | null): LineSpan | null {
  const name = shownName(toolName, 'an unnamed tool');
  switch (item.kind) {
    case 'call':
    case 'result': {
      const what = item.kind === 'call' ? 'Call' : item.isError ? 'Error' : 'Result';
      const id = item.callId === null ? '' : ` (${shownName(item.callId, '')})`;
      page.add(`### ${what} of ${name}${id}\n\n`);
      return fenced(page, item.text);
    }
    case 'reasoning':
      page.add('### Reasoning\n\n');
      return plain(page, item.text);
    case 'media':
      page.add(`[${mediaName(item)}]\n\n`);
      return null;
    case 'opaque':
      page.add(`[other content, ${item.weight} characters]\n\n`);
      return null;
    default:
      return plain(page, item.text);
  }
}

function plain(page: Page, text: string): LineSpan {
  const span = page.add(text);
  page.add('\n\n');
  return span;
}

function fenced(page: Page, text: string): LineSpan {
  const ticks = Math.max(3, longestRun(text) + 1);
  if (ticks > MAX_FENCE) return plain(page, text);
  const fence = '`'.repeat(ticks);
  page.add(`${fence}\n`);
  const span = page.add(text);
  page.add(`\n${fence}\n\n`);
  return span;
}

function longestRun(text: string): number {
  let longest = 0;
  for (let at = text.indexOf('`'); at >= 0; ) {
    let end = at + 1;
    while (text.charCodeAt(end) === 0x60) end += 1;
    longest = Math.max(longest, end - at);
    at = text.indexOf('`', end);
  }
  return longest;
}

function shownName(name: string | null, otherwise: string): string {
  return name === null || name === '' ? otherwise : oneLine(name.slice(0, MAX_NAME));
}

/** Description of an image, sound or document: kind, type, dimensions and size as far as known; never its bytes. */
export function mediaName({ media }: Item): string {
  if (media === null) return 'media';
  const facts = [
    media.mimeType === null ? null : shownName(media.mimeType, ''),
    media.width === null || media.height === null ? null : `${media.width}x${media.height}`,
    media.bytes === null ? null : `${media.bytes} bytes`,
  ].filter((fact) => fact !== null && fact !== '');
  return [media.type === 'other' ? 'media' : media.type, ...facts].join(', ');
}
