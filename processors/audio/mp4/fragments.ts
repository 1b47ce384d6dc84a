// Track durations from movie fragments (ISO/IEC 14496-12, 8.8), for files from browsers and live encoders that state no
// duration in a header or index.

import type { Bytes } from '../../../src/contract/index.ts';
import type { SourceBytes } from '../bytes.ts';
import { type Box, boxes } from './boxes.ts';

/** Bytes read of one run of samples; of a longer run only these samples count. */
const MAX_RUN: Bytes = 64 * 1024;
const MAX_TRACKS = 100;

/** Flags of `tfhd` (8.8.7) and `trun` (8.8.8), with the size of their fields in bytes. */
const HEADER_FIELDS = [
  [0x1, 8],
  [0x2, 4],
] as const;
const HEADER_DURATION = 0x8;
const RUN_FIELDS = [
  [0x1, 4],
  [0x4, 4],
] as const;
const RUN_DURATION = 0x100;
const SAMPLE_FIELDS = [
  [RUN_DURATION, 4],
  [0x200, 4],
  [0x400, 4],
  [0x800, 4],
] as const;

const width = (fields: readonly (readonly [flag: number, bytes: Bytes])[], flags: number): Bytes =>
  fields.reduce((sum, [flag, bytes]) => sum + ((flags & flag) === 0 ? 0 : bytes), 0);

/** End times of the tracks, in track time units, as fragments are added in order. */
export class Fragments {
  readonly #defaults = new Map<number, number>();
  readonly #ends = new Map<number, number>();

  /** 8.8.3: default sample duration of each track. */
  async readDefaults(bytes: SourceBytes, mvex: Box): Promise<void> {
    for await (const box of boxes(bytes, mvex.content, mvex.end)) {
      if (box.type !== 'trex' || this.#defaults.size >= MAX_TRACKS) continue;
      const view = await bytes.view(box.content, 16);
      if (view.byteLength >= 16) this.#defaults.set(view.getUint32(4), view.getUint32(12));
    }
  }

  async add(bytes: SourceBytes, moof: Box): Promise<void> {
    for await (const traf of boxes(bytes, moof.content, moof.end))
      if (traf.type === 'traf') await this.#addTrack(bytes, traf);
  }

  /** Duration of track `id` at `scale` units per second; 0 without fragments of it. */
  seconds(id = 0, scale = 0): number {
    return scale > 0 ? (this.#ends.get(id) ?? 0) / scale : 0;
  }

  async #addTrack(bytes: SourceBytes, traf: Box): Promise<void> {
    let id: number | undefined;
    let lasts = 0;
    for await (const box of boxes(bytes, traf.content, traf.end)) {
      if (box.type === 'tfhd') {
        const view = await bytes.view(box.content, 24);
        if (view.byteLength < 24) return;
        const flags = view.getUint32(0);
        id = view.getUint32(4);
        const has = (flags & HEADER_DURATION) !== 0;
        lasts = has ? view.getUint32(8 + width(HEADER_FIELDS, flags)) : (this.#defaults.get(id) ?? 0);
      }
      if (id === undefined || (!this.#ends.has(id) && this.#ends.size >= MAX_TRACKS)) continue;
      if (box.type === 'tfdt') {
        const view = await bytes.view(box.content, 12);
        if (view.byteLength < 12) return;
        this.#ends.set(id, view.getUint8(0) === 1 ? Number(view.getBigUint64(4)) : view.getUint32(4));
      }
      if (box.type === 'trun')
        this.#ends.set(id, (this.#ends.get(id) ?? 0) + (await runUnits(bytes, box, lasts)));
    }
  }
}

async function runUnits(bytes: SourceBytes, trun: Box, lasts: number): Promise<number> {
  const view = await bytes.view(trun.content, Math.min(MAX_RUN, trun.end - trun.content));
  if (view.byteLength < 8) return 0;
  const flags = view.getUint32(0);
  const count = view.getUint32(4);
  if ((flags & RUN_DURATION) === 0) return count * lasts;
  const step = width(SAMPLE_FIELDS, flags);
  let units = 0;
  let at = 8 + width(RUN_FIELDS, flags);
  for (let sample = 0; sample < count && at + 4 <= view.byteLength; sample += 1, at += step)
    units += view.getUint32(at);
  return units;
}
