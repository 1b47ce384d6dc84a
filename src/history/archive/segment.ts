// The two files that archive a run of messages: JSON from which every message can be restored, and readable Markdown.
// Pure; does not write.

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

/** Input of a segment other than its messages. */
export interface SegmentOptions {
  readonly codec: string | null;
  /** As in the storage. */
  readonly shownAs: (path: string) => string;
  /** Default: the folder for conversations without an owner. */
  readonly folder?: string;
}

/**
 * The files of a run of messages.
 * @throws {ReaderError} BAD_INPUT for a message that is not JSON; LIMIT_EXCEEDED above the maximum string length
 */
export function segmentOf(
  messages: readonly ArchivedMessage[],
  { codec, shownAs, folder = CONVERSATION_FOLDER }: SegmentOptions,
): Segment {
  const { text, places } = transcriptOf(messages);
  const markdown = wellFormed(text);
  const json = fileText(messages, codec, markdown, places);
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
  messages: readonly ArchivedMessage[],
  codec: string | null,
  markdown: string,
  places: ReturnType<typeof transcriptOf>['places'],
): string {
  const texts = messages.flatMap(({ view }, message) =>
    view.items.flatMap(({ text }, item) => {
      const place = places[message]?.[item];
      if (!place) return [];
      const exact = isWellFormed(text) ? {} : { exact: text };
      const entry: SegmentText = { message, item, sha256: sha256Of(text), ...place, ...exact };
      return [JSON.stringify(entry)];
    }),
  );
  const head = JSON.stringify({ version: 1, codec, markdown: sha256Of(markdown) }).slice(0, -1);
  let at = 0;
  try {
    const natives: string[] = [];
    // One at a time: encoding all at once would hold a second conversation in memory.
    for (const message of messages) {
      at += 1;
      // Lone surrogates are escaped, so any storage can hold it.
      const json = JSON.stringify(message.native()) ?? 'null';
      natives.push(`{"sha256":"${sha256Of(json)}","message":${json}}`);
    }
    return `${head},"messages":[\n${natives.join(',\n')}\n],"texts":[\n${texts.join(',\n')}\n]}\n`;
  } catch (error) {
    throw notJson(error, at);
  }
}

/** Why the JSON of messages, the last of which is the `number`-th, could not be written. */
function notJson(error: unknown, number: number): ReaderError {
  if (error instanceof RangeError && /string length/i.test(error.message))
    return new ReaderError(
      'LIMIT_EXCEEDED',
      `The messages up to message ${number} exceed the maximum string length.`,
      'Pass large data to the conversation as files.',
      error,
    );
  return new ReaderError(
    'BAD_INPUT',
    `Message ${number} is not valid JSON: it contains ${error instanceof RangeError ? 'too many levels' : 'a cycle or a value JSON cannot represent'}.`,
    "Pass messages in the provider's format.",
    error,
  );
}

/** Parses a segment's JSON file, whose hash matched its name; null if the text is not one. */
export function parseSegment(json: string): SegmentFile | null {
  const file = guarded(() => nativeOf(JSON.parse(json)), null);
  if (file?.['version'] !== 1 || !Array.isArray(file['messages']) || !Array.isArray(file['texts']))
    return null;
  // The hash matched, so the rest is what was written here.
  return file as unknown as SegmentFile;
}

/** Reports which message or text a pointer does not find in its file. @throws {ReaderError} BAD_INPUT */
export function refuseMissing(pointer: string, has: string): never {
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(pointer)} does not exist in its file, which has ${has}.`,
    'Copy the pointer exactly from the placeholder or report.',
  );
}
