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
  const spans: (Span | null)[][] = [];
  for (const [index, { view, names }] of messages.entries()) {
    starts.push(page.length);
    page.add(`## ${index + 1}. ${view.role}\n\n`);
    spans.push(view.items.map((item, at) => itemOn(page, item, names[at] ?? item.toolName)));
    if (view.items.length === 0) page.add('(empty)\n\n');
  }
  const text = page.text();
  return { text, places: placed(text, spans), starts };
}

type Span = readonly [from: number, to: number];

/** Text under construction. */
class Page {
  length = 0;
  readonly #pieces: string[] = [];

  /** Appends a piece and returns its position. */
  add(piece: string): Span {
    const from = this.length;
    this.#pieces.push(piece);
    this.length += piece.length;
    return [from, this.length];
  }

  text(): string {
    return this.#pieces.join('');
  }
}

function itemOn(page: Page, item: Item, toolName: string | null): Span | null {
  const name = shownName(toolName, 'an unnamed tool');
  switch (item.kind) {
    case 'call':
      page.add(`### Call of ${name}${item.callId === null ? '' : ` (${shownName(item.callId, '')})`}\n\n`);
      return fenced(page, item.text);
    case 'result':
      page.add(
        `### ${item.isError ? 'Error' : 'Result'} of ${name}${item.callId === null ? '' : ` (${shownName(item.callId, '')})`}\n\n`,
      );
      return fenced(page, item.text);
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

function plain(page: Page, text: string): Span {
  const span = page.add(text);
  page.add('\n\n');
  return span;
}

function fenced(page: Page, text: string): Span {
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

/** Line numbers of ascending spans, counted in one pass over the text. */
function placed(text: string, spans: readonly (readonly (Span | null)[])[]): (LineSpan | null)[][] {
  const lines = new LineWalk(text);
  return spans.map((message) =>
    message.map((span) => {
      if (span === null) return null;
      const [from, to] = span;
      const first = lines.at(from);
      return { from, to, lines: [first, to > from ? lines.at(to - 1) : first] };
    }),
  );
}

/** Line numbers of ascending offsets. */
class LineWalk {
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The line of the character at `offset`; a line break belongs to the line it ends. */
  at(offset: number): number {
    for (let next = this.#text.indexOf('\n', this.#at); next >= 0 && next < offset; ) {
      this.#line += 1;
      this.#at = next + 1;
      next = this.#text.indexOf('\n', this.#at);
    }
    this.#at = Math.max(this.#at, offset);
    return this.#line;
  }
}
