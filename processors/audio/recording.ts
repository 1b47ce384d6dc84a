// What a reader of one container tells about a recording. How much of it is shown is `reading.ts`.

import type { Bytes, MimeType, SoundContainer } from '../../src/contract/index.ts';

/** Containers that are known here; most are also told apart from each other by their first bytes. */
export type Container = SoundContainer | 'musepack' | 'dff' | 'au' | 'avi' | 'flv' | 'mpeg' | 'realmedia';

/** Words about a recording, as it carries them itself; each on one line and short. */
export interface Tags {
  readonly title?: string;
  readonly artist?: string;
  readonly album?: string;
  readonly year?: number;
  readonly track?: number;
}

/** A stretch that plays by itself; `from` and `to` are its true bounds in seconds of the recording. */
export interface Clip {
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  readonly from: number;
  readonly to: number;
  /** Seconds that it plays, where that is not their difference. */
  readonly plays?: number;
}

/** A recording, opened. Everything absent is not told by the file. */
export interface Recording {
  readonly container: Container;
  readonly mimeType: MimeType;
  /** As its header tells it, or as counted. */
  readonly seconds?: number | undefined;
  /** What the file really holds, where that is known to be less than was promised. */
  readonly held?: number | undefined;
  /** What the header of a file that is cut off promises; `seconds` without it. */
  readonly promised?: number | undefined;
  readonly codec?: string | undefined;
  /** Hz. */
  readonly sampleRate?: number | undefined;
  readonly channels?: number | undefined;
  readonly bitsPerSample?: number | undefined;
  /** Bytes of the sound alone, to work out the bitrate. */
  readonly soundBytes?: Bytes | undefined;
  readonly video?: { readonly codec?: string; readonly width?: number; readonly height?: number } | undefined;
  readonly tags?: Tags;
  /** A small file of the same kind with nothing but headers and tags, for the tag library. */
  readonly tagFile?: Uint8Array | undefined;
  /** Seconds `[from, to)` as exactly as the format allows; absent where it cannot be cut here. */
  readonly cut?: ((from: number, to: number) => Promise<Clip>) | undefined;
  /** Bytes that a second takes, to keep clips within the limit. */
  readonly bytesPerSecond?: number | undefined;
}

/** How a container is called in messages. */
export const CONTAINER_NAMES: Readonly<Record<Container, string>> = {
  wav: 'WAV',
  aiff: 'AIFF',
  mp3: 'MPEG',
  mpeg: 'MPEG',
  aac: 'AAC',
  ogg: 'Ogg',
  flac: 'FLAC',
  mp4: 'MP4',
  matroska: 'Matroska',
  asf: 'ASF',
  ape: "Monkey's Audio",
  wavpack: 'WavPack',
  musepack: 'Musepack',
  dsf: 'DSF',
  dff: 'DSDIFF',
  avi: 'AVI',
  flv: 'FLV',
  au: 'AU',
  caf: 'CAF',
  amr: 'AMR',
  realmedia: 'RealMedia',
};
