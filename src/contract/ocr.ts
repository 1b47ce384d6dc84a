// Reading the text of pictures, and describing pictures: work for an engine or a model that the caller chooses.

import { ReaderError } from './error.ts';
import type { MimeType } from './format.ts';
import { quoted } from './name.ts';
import { wellFormed } from './text.ts';
import { within } from './within.ts';

/** A picture to look at: upright, opaque, as PNG or JPEG. */
export interface SeenPicture {
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** A piece of text of a picture: a line, or the part of a line up to a wide gap. The box is in pixels. */
export interface OcrLine {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** From 0 to 1. */
  readonly confidence: number;
  /** Pixels that the line falls for each pixel to the right, on a crooked scan. Default 0. */
  readonly slope?: number;
}

/** Reads the text of pictures. */
export interface Ocr {
  /** The engine with its models and languages. Recognized text is cached under this name. */
  readonly name: string;
  /** The lines of text in any order; none if the picture contains no text. */
  recognize(picture: SeenPicture, options: { readonly signal: AbortSignal }): Promise<readonly OcrLine[]>;
}

/** Describes pictures in words. */
export interface PictureDescriber {
  /** The model. */
  readonly name: string;
  describe(picture: SeenPicture, options: { readonly signal: AbortSignal }): Promise<string>;
}

/** Time for one picture. PP-OCR was measured at 37 s for a dense page on a busy machine. */
export const OCR_TIMEOUT_MS = 120_000;
/** Longest edge of the pictures that recognizers see: A4 at 300 dpi, for which they are made. */
export const OCR_EDGE = 3508;

/** A page of small print has 200 lines of 100 characters. */
const MAX_LINES = 5000;
const MAX_LINE_LENGTH = 2000;
const MAX_DESCRIPTION_LENGTH = 20_000;
/** Less certain lines are noise: specks, rules, pictures. PaddleOCR drops them at 0.5, Tesseract's users at 0.3. */
const MIN_CONFIDENCE = 0.3;

/**
 * The lines that `ocr` finds, checked: well-formed text on one line, boxes inside the picture. Uncertain ones too.
 * @throws {ReaderError} errors of the engine; TIMED_OUT, ABORTED; CRASHED for an engine that fails on the picture
 */
export async function recognized(
  ocr: Ocr,
  picture: SeenPicture,
  signal: AbortSignal,
): Promise<readonly OcrLine[]> {
  const lines = await asked(ocr.name, signal, () => ocr.recognize(picture, { signal }));
  if (!Array.isArray(lines)) throw invalid(ocr.name, 'an array of lines');
  return lines.slice(0, MAX_LINES).flatMap((line) => checkedLine(ocr.name, line, picture));
}

/** The lines that are not noise. */
export const certain = (lines: readonly OcrLine[]): readonly OcrLine[] =>
  lines.filter(({ confidence }) => confidence >= MIN_CONFIDENCE);

/** True for the error of an engine that would fail on every picture: it is missing, or hangs. */
export const isLasting = ({ code }: ReaderError): boolean =>
  code === 'MISSING_DEPENDENCY' || code === 'TIMED_OUT';

/** The description of a picture. @throws {ReaderError} as `recognized` does */
export async function described(
  describer: PictureDescriber,
  picture: SeenPicture,
  signal: AbortSignal,
): Promise<string> {
  const text = await asked(describer.name, signal, () => describer.describe(picture, { signal }));
  if (typeof text !== 'string') throw invalid(describer.name, 'a string');
  // Line breaks and tabs stay; other control and direction characters are no part of a description.
  const plain = text.slice(0, MAX_DESCRIPTION_LENGTH).replace(/[^\P{C}\n\t]/gu, '');
  return wellFormed(plain).trim();
}

async function asked(name: string, signal: AbortSignal, work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await within(work, { signal, timeoutMs: OCR_TIMEOUT_MS });
  } catch (cause) {
    if (cause instanceof ReaderError || signal.aborted) throw cause;
    throw new ReaderError(
      'CRASHED',
      `${quoted(name)} failed to read a picture.`,
      'Read the picture itself.',
      cause,
    );
  }
}

function checkedLine(name: string, line: unknown, { width, height }: SeenPicture): OcrLine[] {
  if (typeof line !== 'object' || line === null) throw invalid(name, 'lines as objects');
  const { text, left, top, right, bottom, confidence, slope }: Partial<Record<keyof OcrLine, unknown>> = line;
  const box = [left, top, right, bottom, confidence];
  if (typeof text !== 'string' || !box.every(isNumber))
    throw invalid(name, 'a text, a box in pixels and a confidence for each line');
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, sure = 0] = box.map(Number);
  const shown = wellFormed(text.slice(0, MAX_LINE_LENGTH).replace(/[\s\p{Cc}]+/gu, ' ')).trim();
  const found = {
    text: shown,
    left: clamped(x1, width),
    top: clamped(y1, height),
    right: clamped(x2, width),
    bottom: clamped(y2, height),
    confidence: clamped(sure, 1),
    ...(isNumber(slope) && Math.abs(Number(slope)) < 1 && { slope: Number(slope) }),
  };
  const empty = shown === '' || found.right <= found.left || found.bottom <= found.top;
  return empty ? [] : [found];
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const clamped = (value: number, most: number): number => Math.min(most, Math.max(0, value));

const invalid = (name: string, expected: string): ReaderError =>
  new ReaderError(
    'CRASHED',
    `${quoted(name)} returned an invalid result; expected ${expected}.`,
    'Read the picture itself.',
  );

/**
 * Lines in reading order as text: pieces beside each other are one line, separated by a tab. For pictures without the
 * layout of a page.
 */
export function linesOfText(lines: readonly OcrLine[]): string[] {
  const rows: { middle: number; height: number; pieces: OcrLine[] }[] = [];
  for (const line of [...lines].sort((a, b) => a.top + a.bottom - b.top - b.bottom)) {
    const middle = (line.top + line.bottom) / 2;
    const height = line.bottom - line.top;
    const row = rows.at(-1);
    if (row && middle - row.middle < 0.5 * Math.min(height, row.height)) row.pieces.push(line);
    else rows.push({ middle, height, pieces: [line] });
  }
  return rows.map(({ pieces }) =>
    pieces
      .sort((a, b) => a.left - b.left)
      .map(({ text }) => text)
      .join('\t'),
  );
}

/** The mean confidence, weighted by length; 1 without text. */
export function confidenceOf(lines: readonly OcrLine[]): number {
  const length = lines.reduce((sum, { text }) => sum + text.length, 0);
  if (length === 0) return 1;
  return lines.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / length;
}

/** @throws {ReaderError} BAD_INPUT for a hook that is not an object with a name and the function */
export function checkHook(option: string, hook: unknown, method: string): void {
  if (typeof hook === 'object' && hook !== null) {
    const name: unknown = Reflect.get(hook, 'name');
    if (typeof name === 'string' && name !== '' && typeof Reflect.get(hook, method) === 'function') return;
  }
  throw new ReaderError(
    'BAD_INPUT',
    `\`${option}\` must have a \`name\` and a function \`${method}\`.`,
    `Pass \`{ name, ${method} }\`.`,
  );
}
