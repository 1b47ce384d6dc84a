// What a picture says: the text that a recognizer reads in it and the description by a model, if the caller chose any.

import type { Sharp } from 'sharp';
import {
  confidenceOf,
  described,
  type Extent,
  largestFitting,
  linesOfText,
  type Next,
  OCR_EDGE,
  type Ocr,
  type PictureDescriber,
  type ProcessContext,
  quoted,
  ReaderError,
  recognizedUpright,
  type SeenPicture,
  type Source,
  safeCut,
  type TextPart,
  type TurnPicture,
  throwIfAborted,
  type Warning,
  type Whole,
} from '../../src/contract/index.ts';
import { fitImage } from './fit/fit.ts';

/** The text of a picture: lines of the recognizer, then the description. */
export interface SeenText {
  readonly lines: readonly string[];
}

/** Changes whenever the same picture gives other text. */
const VERSION = '2';

/** What is known of one frame: from the cache, else from the recognizer and the model. */
export async function seenTextOf(
  source: Source,
  bytes: Uint8Array,
  frame: number,
  context: ProcessContext,
): Promise<SeenText> {
  const { describer, selection, warn } = context;
  const kept = await context.conversion(source, `${VERSION} ${describer?.name ?? ''}`);
  const { left, top, width, height } = selection.region ?? { left: 0, top: 0, width: 0, height: 0 };
  const key = ['seen', frame, left, top, width, height].join('-');
  const known = readKept(await kept.get(key));
  const seen = known ?? (await look(bytes, frame, context));
  for (const warning of seen.warnings) warn(warning);
  if (!known && !seen.warnings.some(({ code }) => code === 'OCR_FAILED'))
    await kept.put(key, Buffer.from(JSON.stringify(seen)));
  return seen;
}

interface Seen extends SeenText {
  readonly warnings: readonly Warning[];
}

/** The cache verifies its checksum; entries of older versions have other keys. */
function readKept(bytes: Uint8Array | undefined): Seen | undefined {
  if (!bytes) return undefined;
  const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const isSeen = typeof value === 'object' && value !== null && 'lines' in value && 'warnings' in value;
  return isSeen ? (value as Seen) : undefined; // written below, under this version
}

async function look(bytes: Uint8Array, frame: number, context: ProcessContext): Promise<Seen> {
  const { ocr, describer } = context;
  const picture = await pictureOf(bytes, frame, context);
  const warnings: Warning[] = [];
  const lines: string[] = [];
  if (ocr)
    lines.push(
      ...(await attempt(ocr.name, context, warnings, () => readText(picture, ocr, context, warnings))),
    );
  if (describer)
    lines.push(
      ...(await attempt(describer.name, context, warnings, () =>
        describe(picture, describer, context, warnings),
      )),
    );
  return { lines, warnings };
}

/** Decoded and encoded again: the file itself never reaches the recognizer. */
async function pictureOf(
  bytes: Uint8Array,
  frame: number,
  { limits, selection: { region }, signal }: ProcessContext,
): Promise<SeenPicture> {
  const fitted = await fitImage(bytes, {
    maxBytes: limits.maxBytesInMemory,
    maxEdge: OCR_EDGE,
    maxPixels: limits.maxImagePixels,
    frame,
    ...(region && { region }),
    signal,
  });
  const { default: sharp } = await import('sharp');
  return pngOf(sharp(fitted.data).flatten({ background: '#ffffff' }));
}

async function pngOf(picture: Sharp): Promise<SeenPicture> {
  const { data, info } = await picture.png({ compressionLevel: 1 }).toBuffer({ resolveWithObject: true });
  return { data, mimeType: 'image/png', width: info.width, height: info.height };
}

/** Turns parts of a picture. */
const turning =
  ({ data: whole }: SeenPicture): TurnPicture =>
  async (part, turn) => {
    const { default: sharp } = await import('sharp');
    return pngOf(sharp(whole).extract(part).rotate(turn));
  };

async function readText(
  picture: SeenPicture,
  ocr: Ocr,
  { signal }: ProcessContext,
  warnings: Warning[],
): Promise<string[]> {
  const { lines: found } = await recognizedUpright(ocr, picture, turning(picture), signal);
  if (found.length > 0)
    warnings.push({
      code: 'OCR_TEXT',
      message: `Text recognized in the picture by ${quoted(ocr.name)} (confidence ${confidenceOf(found).toFixed(2)}); it can contain errors.`,
    });
  return linesOfText(found).flatMap(wrapped);
}

async function describe(
  picture: SeenPicture,
  describer: PictureDescriber,
  { signal }: ProcessContext,
  warnings: Warning[],
): Promise<string[]> {
  const text = await described(describer, picture, signal);
  if (text === '') return [];
  warnings.push({ code: 'DESCRIBED', message: `The picture is described by ${quoted(describer.name)}.` });
  return text.split(/\r?\n/).flatMap(wrapped);
}

/** A model writes a description as one line, of which a small budget could show nothing. */
const MAX_LINE_LENGTH = 240;

function wrapped(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > MAX_LINE_LENGTH) {
    const space = rest.lastIndexOf(' ', MAX_LINE_LENGTH);
    const end = safeCut(rest, space > 0 ? space : MAX_LINE_LENGTH);
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** A picture is shown also when nothing can be said of it. */
async function attempt(
  name: string,
  { signal }: ProcessContext,
  warnings: Warning[],
  work: () => Promise<string[]>,
): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    throwIfAborted(signal);
    if (!(error instanceof ReaderError)) throw error;
    warnings.push({
      code: 'OCR_FAILED',
      message: `${quoted(name)} did not read the picture. ${error.message} ${error.hint}`,
    });
    return [];
  }
}

/** All lines of a frame's text. */
export const textWhole = ({ lines }: SeenText, frame: number): Whole => ({
  unit: 'line',
  of: lines.length,
  ...nameOf(frame),
});

/** Names the frame, for frames after the first. */
const nameOf = (frame: number): { readonly name?: string } => (frame > 1 ? { name: `frame ${frame}` } : {});

/** Room for text: `used` is the text before it in this answer. */
export interface TextRoom {
  readonly used: string;
  readonly frame: number;
  /** 0-based. */
  readonly from: number;
}

/** As many lines as fit, from `from` on; undefined if none does or there are none. */
export function textPart(
  { lines }: SeenText,
  { used, frame, from }: TextRoom,
  { budget, limits, selection: { all } }: ProcessContext,
  following: Next | undefined,
): TextPart | undefined {
  const left = lines.length - from;
  if (left < 1) return undefined;
  const most = all ? left : Math.min(left, Math.max(1, limits.maxLines));
  const fits = (count: number, tokens: number, characters: number): boolean =>
    budget.fits(used + textOf(lines.slice(from, from + count)), tokens, characters);
  let count = most;
  if (!all && (most < left || from > 0 || !fits(left, budget.tokens, budget.characters))) {
    const { tokensBesideNotes, charactersBesideNotes } = budget;
    count = largestFitting(most, (size) => fits(size, tokensBesideNotes, charactersBesideNotes));
  }
  // Not even one line fits: the text begins in the next answer.
  const end = from + count;
  const shown: Extent[] =
    count < 1 ? [] : [{ unit: 'line', from: from + 1, to: end, of: lines.length, ...nameOf(frame) }];
  const next = end < lines.length ? { position: [frame, end + 1] } : following;
  return { kind: 'text', text: textOf(lines.slice(from, end)), shown, ...(next && { next }) };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
