// Reads tags with the tag library. The library gets a small file of headers and tags, or the file behind a bounded
// tokenizer: on hostile input it takes seconds per megabyte and cannot be interrupted.

import type { IAudioMetadata, IOptions } from 'music-metadata';
import { type Bytes, ReaderError, type Warning } from '../../src/contract/index.ts';
import { encodingOfFields } from '../../src/encoding/index.ts';
import type { SourceBytes } from './bytes.ts';
import { tagsFrom } from './comments.ts';
import type { Recording, Tags } from './recording.ts';

/**
 * Maximum bytes passed to the library. That much of an APE tag with empty values takes a second and 100 MB; the first
 * block of a WavPack file, half a second of audio, is read whole.
 */
const MAX_BYTES: Bytes = 128 * 1024;

/** Facts the library found; empty if it fails. */
export interface LibraryFacts {
  readonly tags: Tags;
  /** Names the encoding of tags if it is a guess. */
  readonly guess?: Warning | undefined;
  readonly seconds?: number;
  readonly codec?: string;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bitsPerSample?: number;
}

/** Reads `bytes`, a file of headers and tags. */
export async function readTags(bytes: Uint8Array, mimeType: Recording['mimeType']): Promise<LibraryFacts> {
  const { parseBuffer } = await import('music-metadata');
  const size = bytes.length;
  const held = bytes.subarray(0, MAX_BYTES);
  return factsBy((options) => parseBuffer(held, { mimeType, size }, options), held);
}

/** Reads a recording that only the library supports, and the tags at its end, within the tokenizer's limits. */
export async function readFacts(bytes: SourceBytes, mimeType: Recording['mimeType']): Promise<LibraryFacts> {
  const [{ parseFromTokenizer }, { BoundedTokenizer }] = await Promise.all([
    import('music-metadata'),
    import('./bounded-tokenizer.ts'),
  ]);
  return factsBy((options) => parseFromTokenizer(new BoundedTokenizer(bytes, mimeType, MAX_BYTES), options));
}

type Parsed = Pick<IAudioMetadata, 'common' | 'format'>;

async function factsBy(
  parse: (options: IOptions) => Promise<Parsed>,
  held: Uint8Array = new Uint8Array(0),
): Promise<LibraryFacts> {
  // Facts known at the end of the headers. The library reports the missing audio as an error.
  let found: Parsed | undefined;
  try {
    found = await parse({
      duration: false,
      skipCovers: true,
      observer: ({ metadata }) => {
        found = metadata;
      },
    });
  } catch (error) {
    // Tags are optional: a file plays without them.
    if (error instanceof ReaderError) throw error;
  }
  return found ? factsOf(found, held) : { tags: {} };
}

/**
 * The bytes of a tag that the library decoded as ISO-8859-1, the declared encoding of old tags, which writers ignore;
 * undefined for other text. `held` has those of no other text: a letter beyond ASCII is two bytes in UTF-8 and UTF-16.
 */
function bytesOf(text: string | undefined, held: Buffer): Uint8Array | undefined {
  if (text === undefined || !/^[\0-\u00ff]*$/.test(text) || !/[\u0080-\u00ff]/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'latin1');
  return held.includes(bytes) ? bytes : undefined;
}

/** The text of a tag with one or several values; undefined if it has none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const texts = value.map(textOf).filter((text) => text !== undefined);
    return texts.length > 0 ? texts.join('; ') : undefined;
  }
  return typeof value === 'object' && value !== null && 'text' in value ? textOf(value.text) : undefined;
}

async function factsOf({ common, format }: Parsed, file: Uint8Array): Promise<LibraryFacts> {
  const held = Buffer.from(file.buffer, file.byteOffset, file.length);
  const { title, artist, album, year, track, ...rest } = common;
  const other = Object.entries(rest).map(([name, value]) => [name, textOf(value)] as const);
  const encoding = await encodingOfFields(
    [title, artist, album, ...other.map(([, text]) => text)].flatMap((text) => bytesOf(text, held) ?? []),
    { implied: 'windows-1252' },
  );
  const decoded = (text: string | undefined): string | undefined => {
    const bytes = bytesOf(text, held);
    return bytes ? encoding.decode(bytes) : text;
  };
  const number = (value: number | undefined): value is number =>
    value !== undefined && Number.isFinite(value) && value > 0;
  return {
    tags: tagsFrom({
      title: decoded(title),
      artist: decoded(artist),
      album: decoded(album),
      year,
      track: track.no,
      other: other
        .filter(([name, text]) => !(name === 'artists' && text === artist) && text !== `${year}`)
        .map(([name, text]) => [name, decoded(text)] as const),
    }),
    guess: encoding.warning('Tags'),
    ...(number(format.duration) && { seconds: format.duration }),
    ...(format.codec !== undefined && { codec: format.codec.slice(0, 40) }),
    ...(number(format.sampleRate) && { sampleRate: format.sampleRate }),
    ...(number(format.numberOfChannels) && { channels: format.numberOfChannels }),
    ...(number(format.bitsPerSample) && { bitsPerSample: format.bitsPerSample }),
  };
}
