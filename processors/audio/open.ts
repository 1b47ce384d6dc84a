// Opens a file as a Recording: detects its container and calls the matching reader.

import { quoted, ReaderError, type Source } from '../../src/contract/index.ts';
import { openAdts } from './adts.ts';
import { openAiff } from './aiff.ts';
import { SourceBytes } from './bytes.ts';
import { openFlac } from './flac.ts';
import { openMatroska } from './matroska/matroska.ts';
import { openMp3 } from './mp3.ts';
import { openMp4 } from './mp4/mp4.ts';
import { openOgg } from './ogg/ogg.ts';
import { openAsf, openAu, openAvi, openFlv, openMpeg } from './others.ts';
import { CONTAINER_NAMES, type Container, type Recording } from './recording.ts';
import { containerOf } from './signature.ts';
import { readFacts, readTags } from './tags.ts';
import { openWav } from './wav.ts';

type Opener = (bytes: SourceBytes) => Promise<Recording | undefined>;

const OPENERS: Readonly<Partial<Record<Container, Opener>>> = {
  wav: openWav,
  aiff: openAiff,
  mp3: openMp3,
  aac: openAdts,
  flac: openFlac,
  ogg: openOgg,
  mp4: openMp4,
  matroska: openMatroska,
  asf: openAsf,
  avi: openAvi,
  flv: openFlv,
  au: openAu,
  mpeg: openMpeg,
};

/** Containers that only the tag library can read, or that are only recognised. */
const TYPES: Readonly<Partial<Record<Container, Recording['mimeType']>>> = {
  ape: 'audio/ape',
  wavpack: 'audio/wavpack',
  musepack: 'audio/x-musepack',
  dsf: 'audio/dsf',
  dff: 'audio/dff',
  caf: 'audio/x-caf',
  amr: 'audio/amr',
  realmedia: 'application/vnd.rn-realmedia',
};
/** Bytes read to detect the container. */
const HEAD_BYTES = 64 * 1024;

/**
 * Opens the recording in `source`, with its tags.
 * @throws {ReaderError} CORRUPT_FILE if it contains no readable audio or video
 */
export async function openRecording(source: Source, signal: AbortSignal): Promise<Recording> {
  const bytes = new SourceBytes(source, signal);
  const container = containerOf(await bytes.copy(0, HEAD_BYTES));
  const recording = container && (await opened(container, bytes));
  if (!recording)
    throw new ReaderError(
      'CORRUPT_FILE',
      `${quoted(source.name)} ${container ? `starts like ${CONTAINER_NAMES[container]} sound or video` : 'is no sound or video of a known kind'}, but nothing in it can be played.`,
      'Check that it was saved or transferred completely.',
    );
  return recording;
}

async function opened(container: Container, bytes: SourceBytes): Promise<Recording | undefined> {
  const open = OPENERS[container];
  if (open) {
    const recording = await open(bytes);
    if (!recording?.tagFile) return recording;
    const { tags, guess } = await readTags(recording.tagFile, recording.mimeType);
    return { ...recording, tags: { ...tags, ...recording.tags }, guess };
  }
  const mimeType = TYPES[container] ?? 'application/octet-stream';
  if (container === 'realmedia') return { container, mimeType, video: {} };
  if (container === 'caf' || container === 'amr') return { container, mimeType, soundBytes: bytes.size };
  const { tags, ...facts } = await readFacts(bytes, mimeType);
  return { container, mimeType, soundBytes: bytes.size, tags, ...facts };
}
