// Text recognition of pictures that are sideways or upside down, as scanners leave them. The lines of an engine show whether
// the picture was upright: confidence is low in upside-down text, and sideways lines are taller than wide.

import { certain, type Ocr, type OcrLine, recognized, type SeenPicture } from './ocr.ts';

/** Clockwise, in degrees. */
export type Turn = 0 | 90 | 180 | 270;

/** A part of a picture, in whole pixels. */
export interface PicturePart {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The same picture, or a part of it, turned. */
export type TurnPicture = (part: PicturePart, turn: Exclude<Turn, 0>) => Promise<SeenPicture>;

/** What an engine reads of an upright picture. */
export interface Reading {
  readonly lines: readonly OcrLine[];
  /** How far the picture had to be turned. `width` and `height` are those of the turned picture. */
  readonly turn: Turn;
  readonly width: number;
  readonly height: number;
}

/** Fewer letters say too little about the orientation. */
const LEAST_LETTERS = 12;
/** Lines with fewer letters may be as tall as wide. */
const LEAST_LINE = 4;
/**
 * How sure an engine is of upright lines: Tesseract of clean pages at least .9, and of the same upside down at most .4.
 * Bad scans are between.
 */
const SURE = 0.6;
const SURER = 0.25;
/** Letters read again to try a turn: a few lines. */
const ENOUGH = 300;

/**
 * The lines of `picture`, turned first if that makes an engine surer of some of them. An upright picture is read once, a
 * bad one up to two strips more, and a turned one twice.
 * @throws {ReaderError} as `recognized` does
 */
export async function recognizedUpright(
  ocr: Ocr,
  picture: SeenPicture,
  turned: TurnPicture,
  signal: AbortSignal,
): Promise<Reading> {
  const lines = await recognized(ocr, picture, signal);
  const { width, height } = picture;
  const seen = evidenceOf(lines);
  if (seen.letters >= LEAST_LETTERS && seen.sure < SURE) {
    const strip = stripOf(lines, seen.sideways, picture);
    const turns = seen.sideways ? ([270, 90] as const) : ([180] as const);
    let best: { readonly sure: number; readonly turn: Turn } = { sure: seen.sure + SURER, turn: 0 };
    for (const turn of turns) {
      if (best.turn !== 0 && best.sure >= SURE) break;
      const { sure } = evidenceOf(await recognized(ocr, await turned(strip, turn), signal));
      if (sure >= best.sure) best = { sure, turn };
    }
    const { turn } = best;
    if (turn !== 0) {
      const upright = await turned({ left: 0, top: 0, width, height }, turn);
      const read = await recognized(ocr, upright, signal);
      return { lines: certain(read), turn, width: upright.width, height: upright.height };
    }
  }
  return { lines: certain(lines), turn: 0, width, height };
}

interface Evidence {
  readonly letters: number;
  /** Confidence over all letters, of which those of sideways lines count as not read. */
  readonly sure: number;
  readonly sideways: boolean;
}

function evidenceOf(lines: readonly OcrLine[]): Evidence {
  let letters = 0;
  let flat = 0;
  let sure = 0;
  for (const { text, left, top, right, bottom, confidence } of lines) {
    const count = text.replaceAll(' ', '').length;
    if (count < LEAST_LINE) continue;
    letters += count;
    if (right - left < bottom - top) continue;
    flat += count;
    sure += count * confidence;
  }
  return { letters, sure: letters === 0 ? 0 : sure / letters, sideways: flat < letters / 2 };
}

/** A strip of the picture along its lines, around the middle one, with enough letters. */
function stripOf(lines: readonly OcrLine[], sideways: boolean, { width, height }: SeenPicture): PicturePart {
  const [start, end, most] = sideways
    ? (['left', 'right', width] as const)
    : (['top', 'bottom', height] as const);
  const sorted = [...lines].sort((a, b) => a[start] - b[start]);
  let [first, last] = [sorted.length >> 1, sorted.length >> 1];
  const lettersOf = (index: number): number => sorted[index]?.text.length ?? 0;
  for (let letters = lettersOf(first); letters < ENOUGH && last - first + 1 < sorted.length; ) {
    if (first > 0) letters += lettersOf(--first);
    if (last < sorted.length - 1) letters += lettersOf(++last);
  }
  const chosen = sorted.slice(first, last + 1);
  const thick = Math.max(...chosen.map((line) => line[end] - line[start]));
  const from = Math.floor(Math.max(0, Math.min(...chosen.map((line) => line[start])) - thick));
  const to = Math.ceil(Math.min(most, Math.max(...chosen.map((line) => line[end])) + thick));
  const across = Math.max(1, to - from);
  return sideways
    ? { left: from, top: 0, width: across, height }
    : { left: 0, top: from, width, height: across };
}
