// What the tag library tells of a recording. It gets a small file of headers and tags, never the file itself: on hostile
// bytes it takes seconds for each megabyte and cannot be stopped.

import type { IAudioMetadata } from 'music-metadata';
import type { Bytes } from '../../src/contract/index.ts';
import { tagsFrom } from './comments.ts';
import type { Recording, Tags } from './recording.ts';

const MAX_BYTES: Bytes = 128 * 1024;

/** Facts that the library found; none when it fails. */
export interface LibraryFacts {
  readonly tags: Tags;
  readonly seconds?: number;
  readonly codec?: string;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bitsPerSample?: number;
}

/** Reads `bytes`, of which only the first 128 KiB count; `size` is the real file's. */
export async function readTags(
  bytes: Uint8Array,
  mimeType: Recording['mimeType'],
  size: Bytes = bytes.length,
): Promise<LibraryFacts> {
  const { parseBuffer } = await import('music-metadata');
  // What it knew when it came to the end of the headers: the sound itself is not there, which it takes for an error.
  let found: Pick<IAudioMetadata, 'common' | 'format'> | undefined;
  try {
    found = await parseBuffer(
      bytes.subarray(0, MAX_BYTES),
      { mimeType, size },
      {
        duration: false,
        skipCovers: true,
        observer: ({ metadata }) => {
          found = metadata;
        },
      },
    );
  } catch {
    // Tags are an extra: a file plays without them.
  }
  return found ? factsOf(found) : { tags: {} };
}

function factsOf({ common, format }: Pick<IAudioMetadata, 'common' | 'format'>): LibraryFacts {
  const number = (value: number | undefined): value is number =>
    value !== undefined && Number.isFinite(value) && value > 0;
  return {
    tags: tagsFrom({
      title: common.title,
      artist: common.artist,
      album: common.album,
      year: common.year,
      track: common.track?.no,
    }),
    ...(number(format.duration) && { seconds: format.duration }),
    ...(format.codec !== undefined && { codec: format.codec.slice(0, 40) }),
    ...(number(format.sampleRate) && { sampleRate: format.sampleRate }),
    ...(number(format.numberOfChannels) && { channels: format.numberOfChannels }),
    ...(number(format.bitsPerSample) && { bitsPerSample: format.bitsPerSample }),
  };
}
