// A stretch of messages as the two files it is archived in: JSON that gives every message back, and Markdown to read; and how
// many of them go into such a pair. Pure: nothing is written here.

import { isWellFormed, quoted, ReaderError } from '../../contract/index.ts';
import { sha256Of, wellFormed } from './exact-text.ts';
import { type LineSpan, type TranscriptMessage, transcriptOf } from './transcript.ts';

/** Folder of archived conversations in a storage. */
export const CONVERSATION_FOLDER = 'conversation_history';

/** A message to archive. */
export interface ArchivedMessage extends TranscriptMessage {
  /** The message as JSON values: what `codec.encode` gives. Asked for once. */
  native(): unknown;
}

/** Where an original lies. */
export interface TextPointer {
  /** As `restore` takes it and a report tells it. */
  readonly pointer: string;
  /** As a placeholder shows it to a model: by the path its own tools know. */
  readonly shown: string;
}

/** An archived stretch of messages. */
export interface Segment {
  /** The first 16 hex digits of the SHA-256 of `json`. */
  readonly id: string;
  readonly jsonPath: string;
  readonly json: string;
  readonly markdownPath: string;
  /** As a model's own tools name that path. */
  readonly shownMarkdown: string;
  readonly markdown: string;
  /** Of a message, counted from 0; in the pointer it is numbered from 1, as in the Markdown. */
  pointer(message: number): string;
  /** Of a text by message and item of its view, both from 0; of the whole message where the item has no text. */
  textPointer(message: number, item: number): TextPointer;
}

/** What a segment's JSON file holds. */
export interface SegmentFile {
  readonly version: 1;
  /** Of the messages; null where it was not told. */
  readonly codec: string | null;
  /** SHA-256 of the Markdown file. */
  readonly markdown: string;
  /** Files of the same conversation that were kept before it; empty where its state names them. */
  readonly earlier: readonly string[];
  readonly messages: readonly { readonly sha256: string; readonly message: unknown }[];
  readonly texts: readonly SegmentText[];
}

/** A text and where it lies in the Markdown. */
export interface SegmentText {
  /** From 0, both. */
  readonly message: number;
  readonly item: number;
  readonly sha256: string;
  /** UTF-16 offsets in the Markdown. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly [first: number, last: number];
  /** The text itself, only where a file of UTF-8 cannot hold it. */
  readonly exact?: string;
}

/** The hex digits of a hash in a file name. */
export const ID_DIGITS = 16;

/**
 * Characters of JSON in one segment, but for a message that is longer by itself: about a million tokens, and far below
 * what a workspace takes as one file. Who restores one message reads all of its segment.
 */
export const MOST_CHARACTERS: number = 4 * 1024 * 1024;
/** What the file says of a message, or of a text, beside its words: hashes, places. */
const ENTRY_CHARACTERS = 150;

/** Messages for one segment. */
export interface Stretch {
  readonly messages: readonly ArchivedMessage[];
  /** The JSON of each. */
  readonly jsons: readonly string[];
}

/**
 * All of `messages` in stretches for a segment each, the last stretch first: the files of each can then name those of the
 * next. One, and maybe an empty one, for most.
 * @throws {ReaderError} BAD_INPUT for a message that is no JSON; LIMIT_EXCEEDED for one longer than a string can be
 */
export function* stretchesOf(messages: readonly ArchivedMessage[]): Generator<Stretch> {
  let to = messages.length;
  let jsons: string[] = [];
  let length = 0;
  for (let at = to - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (!message) continue;
    const json = jsonOf(message.native(), at);
    const size = json.length + ENTRY_CHARACTERS * (1 + message.view.items.length);
    if (jsons.length > 0 && length + size > MOST_CHARACTERS) {
      yield { messages: messages.slice(at + 1, to), jsons: jsons.reverse() };
      to = at + 1;
      jsons = [];
      length = 0;
    }
    jsons.push(json);
    length += size;
  }
  yield { messages: messages.slice(0, to), jsons: jsons.reverse() };
}

/** What a segment is told beside its messages. */
export interface SegmentOptions {
  readonly codec: string | null;
  /** As in the storage. */
  readonly shownAs: (path: string) => string;
  /** The id of the segment that goes on where this one ends. Default: none. */
  readonly next?: string | null;
  /** Default: that of conversations without an owner. */
  readonly folder?: string;
  /** As `SegmentFile.earlier`. Default: none. */
  readonly earlier?: readonly string[];
}

/** The files of a stretch. */
export function segmentOf(
  stretch: Stretch,
  { codec, shownAs, next = null, folder = CONVERSATION_FOLDER, earlier = [] }: SegmentOptions,
): Segment {
  const { text, places } = transcriptOf(stretch.messages);
  const markdown = wellFormed(
    next === null ? text : `${text}Continued in \`${next}.md\`, beside this file.\n`,
  );
  const json = fileText(stretch, { codec, earlier }, markdown, places);
  const id = sha256Of(json).slice(0, ID_DIGITS);
  const jsonPath = `${folder}/${id}.json`;
  const markdownPath = `${folder}/${id}.md`;
  const shownJson = shownAs(jsonPath);
  const shownMarkdown = shownAs(markdownPath);
  return {
    id,
    shownMarkdown,
    jsonPath,
    json,
    markdownPath,
    markdown,
    pointer: (message) => `${jsonPath}#${message + 1}`,
    textPointer: (message, item) => {
      const place = places[message]?.[item];
      if (!place) return { pointer: `${jsonPath}#${message + 1}`, shown: `${shownJson}#${message + 1}` };
      const [first, last] = place.lines;
      return {
        pointer: `${markdownPath}:${first}-${last}`,
        shown: `${shownMarkdown} lines ${first}-${last}`,
      };
    },
  };
}

function fileText(
  { messages, jsons }: Stretch,
  { codec, earlier }: Pick<SegmentFile, 'codec' | 'earlier'>,
  markdown: string,
  places: ReturnType<typeof transcriptOf>['places'],
): string {
  const natives = jsons.map((json) => `{"sha256":"${sha256Of(json)}","message":${json}}`);
  const texts: string[] = [];
  for (const [message, { view }] of messages.entries())
    for (const [item, { text }] of view.items.entries()) {
      const place = places[message]?.[item];
      if (place) texts.push(entryText(message, item, text, place));
    }
  const named = earlier.length > 0 ? `"earlier":${JSON.stringify(earlier)},` : '';
  const head = `{"version":1,"codec":${JSON.stringify(codec)},"markdown":"${sha256Of(markdown)}",${named}"messages":[`;
  return `${head}\n${natives.join(',\n')}\n],"texts":[\n${texts.join(',\n')}\n]}\n`;
}

/** The JSON of a `SegmentText`. */
function entryText(message: number, item: number, text: string, { from, to, lines }: LineSpan): string {
  const exact = isWellFormed(text) ? '' : `,"exact":${JSON.stringify(text)}`;
  return `{"message":${message},"item":${item},"sha256":"${sha256Of(text)}","from":${from},"to":${to},"lines":[${lines.join(',')}]${exact}}`;
}

/** The JSON of one message. Escapes lone surrogates, so that any storage can hold it. */
function jsonOf(native: unknown, index: number): string {
  try {
    return JSON.stringify(native) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError && /string length/i.test(error.message))
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `Message ${index + 1} is longer than a text can be.`,
        'Give large data to the conversation as files.',
        error,
      );
    throw new ReaderError(
      'BAD_INPUT',
      `Message ${index + 1} is no JSON: it holds ${error instanceof RangeError ? 'too many levels' : 'a cycle or a value that JSON has none for'}.`,
      'Pass messages as the provider takes them.',
      error,
    );
  }
}

/** A segment's JSON file, parsed; null for a text that is none. */
export function parseSegment(json: string): SegmentFile | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  // Fields of whatever it is; each is looked at before it is used.
  const { version, codec, markdown, earlier, messages, texts } = value as Record<string, unknown>;
  if (version !== 1 || typeof markdown !== 'string' || !Array.isArray(messages) || !Array.isArray(texts))
    return null;
  return {
    version,
    codec: typeof codec === 'string' ? codec : null,
    markdown,
    earlier: Array.isArray(earlier) ? earlier.filter((path) => typeof path === 'string') : [],
    // The hash in the file's name was that of this text: what it holds is what was written here.
    messages: messages as SegmentFile['messages'],
    texts: texts as SegmentFile['texts'],
  };
}

/** Says which message or text a pointer into `file` misses. @throws {ReaderError} BAD_INPUT */
export function refuseMissing(pointer: string, has: string): never {
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(pointer)} names nothing in its file, which has ${has}.`,
    'Copy the pointer as the placeholder or the report has it.',
  );
}
