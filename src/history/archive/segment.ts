// The two files that archive a run of messages: JSON from which every message can be restored, and readable Markdown.
// Also decides how many messages fit in a pair. Pure; does not write.

import { isWellFormed, quoted, ReaderError } from '../../contract/index.ts';
import { guarded, nativeOf } from '../codecs/native.ts';
import { sha256Of, wellFormed } from './exact-text.ts';
import { type LineSpan, type TranscriptMessage, transcriptOf } from './transcript.ts';

/** Folder for archived conversations in a storage. */
export const CONVERSATION_FOLDER = 'conversation_history';

/** A message to archive. */
export interface ArchivedMessage extends TranscriptMessage {
  /** The message as JSON values, from `codec.encode`. Called once. */
  native(): unknown;
}

/** Location of an original. */
export interface TextPointer {
  /** For `restore` and reports. */
  readonly pointer: string;
  /** For placeholders: with the path as the model's tools see it. */
  readonly shown: string;
}

/** An archived run of messages. */
export interface Segment {
  /** The first 16 hex digits of the SHA-256 of `json`. */
  readonly id: string;
  readonly jsonPath: string;
  readonly json: string;
  readonly markdownPath: string;
  /** The Markdown path as the model's tools see it. */
  readonly shownMarkdown: string;
  readonly markdown: string;
  /** Pointer to a message, counted from 0. Inside the pointer it is numbered from 1, as in the Markdown. */
  pointer(message: number): string;
  /** Pointer to a text by message and item, both from 0; to the whole message if the item has no text. */
  textPointer(message: number, item: number): TextPointer;
}

/** Content of a segment's JSON file. */
export interface SegmentFile {
  readonly version: 1;
  /** Format of the messages; null if unknown. */
  readonly codec: string | null;
  /** SHA-256 of the Markdown file. */
  readonly markdown: string;
  /** Files archived earlier for the same conversation; empty while its state lists them. */
  readonly earlier: readonly string[];
  readonly messages: readonly { readonly sha256: string; readonly message: unknown }[];
  readonly texts: readonly SegmentText[];
}

/** A text and its position in the Markdown. */
export interface SegmentText extends LineSpan {
  /** Both from 0. */
  readonly message: number;
  readonly item: number;
  readonly sha256: string;
  /** The text itself, only if a UTF-8 file cannot represent it. */
  readonly exact?: string;
}

/** Number of hash digits in a file name. */
export const ID_DIGITS = 16;

/**
 * Maximum characters of JSON in one segment, unless a single message is longer: about a million tokens, and far below
 * the file size limit of a workspace. Restoring one message reads its whole segment.
 */
export const MOST_CHARACTERS: number = 4 * 1024 * 1024;
/** Overhead per message or text in the file: hashes and positions. */
const ENTRY_CHARACTERS = 150;

/** Messages for one segment. */
export interface Stretch {
  readonly messages: readonly ArchivedMessage[];
  /** The JSON of each message. */
  readonly jsons: readonly string[];
}

/**
 * Divides `messages` into runs of one segment each, last run first, so that each segment's files can name the next.
 * Usually there is one, possibly empty.
 * @throws {ReaderError} BAD_INPUT for a message that is not JSON; LIMIT_EXCEEDED for one above the maximum string
 * length
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

/** Input of a segment other than its messages. */
export interface SegmentOptions {
  readonly codec: string | null;
  /** As in the storage. */
  readonly shownAs: (path: string) => string;
  /** The id of the segment that continues this one. Default: none. */
  readonly next?: string | null;
  /** Default: the folder for conversations without an owner. */
  readonly folder?: string;
  /** See `SegmentFile.earlier`. Default: none. */
  readonly earlier?: readonly string[];
}

/** The files of a run of messages. */
export function segmentOf(
  stretch: Stretch,
  { codec, shownAs, next = null, folder = CONVERSATION_FOLDER, earlier = [] }: SegmentOptions,
): Segment {
  const { text, places } = transcriptOf(stretch.messages);
  const markdown = wellFormed(next === null ? text : `${text}Continued in \`${next}.md\` in this folder.\n`);
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
  const texts = messages.flatMap(({ view }, message) =>
    view.items.flatMap(({ text }, item) => {
      const place = places[message]?.[item];
      if (!place) return [];
      const exact = isWellFormed(text) ? {} : { exact: text };
      const entry: SegmentText = { message, item, sha256: sha256Of(text), ...place, ...exact };
      return [JSON.stringify(entry)];
    }),
  );
  const named = earlier.length > 0 ? { earlier } : {};
  const head = JSON.stringify({ version: 1, codec, markdown: sha256Of(markdown), ...named }).slice(0, -1);
  return `${head},"messages":[\n${natives.join(',\n')}\n],"texts":[\n${texts.join(',\n')}\n]}\n`;
}

/** The JSON of one message. Lone surrogates are escaped, so any storage can hold it. */
function jsonOf(native: unknown, index: number): string {
  try {
    return JSON.stringify(native) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError && /string length/i.test(error.message))
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `Message ${index + 1} exceeds the maximum string length.`,
        'Pass large data to the conversation as files.',
        error,
      );
    throw new ReaderError(
      'BAD_INPUT',
      `Message ${index + 1} is not valid JSON: it contains ${error instanceof RangeError ? 'too many levels' : 'a cycle or a value JSON cannot represent'}.`,
      "Pass messages in the provider's format.",
      error,
    );
  }
}

/** Parses a segment's JSON file, whose hash matched its name; null if the text is not one. */
export function parseSegment(json: string): SegmentFile | null {
  const file = guarded(() => nativeOf(JSON.parse(json)), null);
  if (file?.['version'] !== 1 || !Array.isArray(file['messages']) || !Array.isArray(file['texts']))
    return null;
  // The hash matched, so the rest is what was written here.
  return { earlier: [], ...file } as unknown as SegmentFile;
}

/** Reports which message or text a pointer does not find in its file. @throws {ReaderError} BAD_INPUT */
export function refuseMissing(pointer: string, has: string): never {
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(pointer)} does not exist in its file, which has ${has}.`,
    'Copy the pointer exactly from the placeholder or report.',
  );
}
