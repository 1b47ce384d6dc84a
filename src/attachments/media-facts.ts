// Describes a picture, a recording or a video, besides its type, from the metadata of its inspection.

import { type Bytes, oneLine } from '../contract/index.ts';
import type { Metadata } from '../reader/index.ts';

/** A number above 0, as required of a width, a duration or a count. */
export const isSize = (value: unknown): value is number => typeof value === 'number' && value > 0;

/** `2.1 s, 64 x 48 pixels, H.264, 44100 Hz, 1 channel`: the known facts of a picture, a recording or a video. */
export function mediaFacts(metadata: Metadata, bytes: Bytes): string {
  const { codec, sampleRate, channels, width, height } = metadata;
  const duration = playsFor(metadata, bytes);
  return [
    isSize(duration) ? `${Number(duration.toFixed(1))} s` : undefined,
    isSize(width) && isSize(height) ? `${width} x ${height} pixels` : undefined,
    typeof codec === 'string' ? oneLine(codec).slice(0, 60) : undefined,
    isSize(sampleRate) ? `${sampleRate} Hz` : undefined,
    isSize(channels) ? `${channels} channel${channels === 1 ? '' : 's'}` : undefined,
  ]
    .filter((fact) => fact !== undefined)
    .join(', ');
}

/** `a recording of 2.1 s, 16000 Hz`. */
export const withFacts = (what: string, facts: string): string =>
  facts === '' ? what : `${what} of ${facts}`;

/** Bytes per second: the lowest rate of any recording, and the highest, for 32-bit samples plus pictures. */
const LEAST_RATE: Bytes = 64;
const SAMPLE_BYTES: Bytes = 4;
const MOST_RATE: Bytes = 8_000_000;
const COVER_BYTES: Bytes = 4_000_000;

/** Duration in seconds, if plausible for the file's size: a header can claim anything. */
export function playsFor({ duration, sampleRate, channels }: Metadata, bytes: Bytes): number | undefined {
  if (!isSize(duration)) return undefined;
  const most = isSize(sampleRate) && isSize(channels) ? sampleRate * channels * SAMPLE_BYTES : MOST_RATE;
  return bytes >= duration * LEAST_RATE && bytes - COVER_BYTES <= duration * most ? duration : undefined;
}
