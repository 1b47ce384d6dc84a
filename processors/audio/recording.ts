// The facts a container reader returns about a recording. `reading.ts` decides how much of it is shown.

import type { Bytes, MimeType, SoundContainer, Warning } from '../../src/contract/index.ts';

/** Known containers; most are also distinguished by their first bytes. */
export type Container = SoundContainer | 'musepack' | 'dff' | 'au' | 'avi' | 'flv' | 'mpeg' | 'realmedia';

/** The recording's own tags, each a short single line. */
export interface Tags {
  readonly title?: string;
  readonly artist?: string;
  readonly album?: string;
  readonly year?: number;
  readonly track?: number;
  /** Other texts by name, such as `genre`. */
  readonly otherTags?: Readonly<Record<string, string>>;
}

/** A clip that plays on its own; `from` and `to` are its exact bounds in seconds of the recording. */
export interface Clip {
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  readonly from: number;
  readonly to: number;
  /** Playing time in seconds, if it differs from `to - from`. */
  readonly plays?: number;
}

/** An open recording. Absent fields are not stated in the file. */
export interface Recording {
  readonly container: Container;
  readonly mimeType: MimeType;
  /** Duration as stated in the header, or as counted. */
  readonly seconds?: number | undefined;
  /** Actual duration, if known to be shorter than stated. */
  readonly held?: number | undefined;
  /** Duration a truncated file's header states; without the header, `seconds`. */
  readonly promised?: number | undefined;
  readonly codec?: string | undefined;
  /** Hz. */
  readonly sampleRate?: number | undefined;
  readonly channels?: number | undefined;
  readonly bitsPerSample?: number | undefined;
  /** Bytes of audio data only, to compute the bitrate. */
  readonly soundBytes?: Bytes | undefined;
  readonly video?: { readonly codec?: string; readonly width?: number; readonly height?: number } | undefined;
  readonly tags?: Tags;
  /** Names the encoding of tags if it is a guess. */
  readonly guess?: Warning | undefined;
  /** A small file of the same format with only headers and tags, for the tag library. */
  readonly tagFile?: Uint8Array | undefined;
  /** Cuts seconds `[from, to)` as exactly as the format allows; absent if cutting is not supported. */
  readonly cut?: ((from: number, to: number) => Promise<Clip>) | undefined;
  /** Bytes per second, to keep clips within the limit. */
  readonly bytesPerSecond?: number | undefined;
}

/** Name of each container in messages. */
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
