// Which levels of text have bullets, by the master of a slide ([MS-PPT] 2.9.35, TextMasterStyleAtom).

import { u16, u32 } from '../office97/bytes.ts';
import { type ArtRecord, childOf, recordsIn } from '../office97/records.ts';
import type { PresentationFile } from './presentation-file.ts';
import { RECORD, TEXT } from './record-types.ts';
import { readMasterStyle } from './text-style.ts';

const MAX_MASTERS = 4;
/** The types of text whose styles a type goes by, if it has none of its own. */
const BASES: Readonly<Record<number, number>> = {
  [TEXT.centredBody]: TEXT.body,
  [TEXT.halfBody]: TEXT.body,
  [TEXT.quarterBody]: TEXT.body,
  [TEXT.centredTitle]: TEXT.title,
};

/** Whether levels have bullets, by type of text. */
export type StyleLevels = ReadonlyMap<number, readonly (boolean | undefined)[]>;

/** The styles that a master or the environment of the document states. */
export function styleLevels(bytes: Buffer, parent: ArtRecord): StyleLevels {
  const levels = new Map<number, readonly (boolean | undefined)[]>();
  for (const { type, instance, from, to } of recordsIn(bytes, parent.from, parent.to))
    if (type === RECORD.masterStyle && !levels.has(instance))
      levels.set(instance, readMasterStyle(bytes.subarray(from, to), instance));
  return levels;
}

/** True for a slide or title master that shows the shapes of its master ([MS-PPT] 2.5.8, SlideFlags). */
export function showsMaster(bytes: Buffer, slide: ArtRecord): boolean {
  const head = childOf(bytes, slide, RECORD.slideHead);
  return head !== undefined && (u16(bytes, head.from + 20) & 1) !== 0;
}

/** The styles of one master, and of the document for text that no master covers. */
export class MasterStyles {
  readonly #levels: readonly StyleLevels[];
  /** The masters whose shapes a slide shows, unless it shows none. */
  readonly shown: readonly ArtRecord[];

  /** `id`: slide id of the master; `base`: the styles of the document. */
  constructor(file: PresentationFile, id: number, base: StyleLevels) {
    const { bytes } = file;
    const levels: StyleLevels[] = [];
    const shown: ArtRecord[] = [];
    let isShown = true;
    let master = file.master(id);
    // A title master refers to the master it belongs to.
    for (let step = 0; master && step < MAX_MASTERS; step += 1) {
      levels.push(styleLevels(bytes, master));
      if (isShown) shown.push(master);
      isShown &&= showsMaster(bytes, master);
      const head = childOf(bytes, master, RECORD.slideHead);
      const next: number = head ? u32(bytes, head.from + 12) : 0;
      master = next === id ? undefined : file.master(next);
    }
    this.#levels = [...levels, base];
    this.shown = shown;
  }

  bullet(type: number, level: number): boolean {
    const base = BASES[type];
    return this.#stated(type, level) ?? (base === undefined ? undefined : this.#stated(base, level)) ?? false;
  }

  #stated(type: number, level: number): boolean | undefined {
    for (const levels of this.#levels) {
      const stated = levels.get(type)?.[level];
      if (stated !== undefined) return stated;
    }
    return undefined;
  }
}
