// One response about a picture: its facts, a caption, and the picture itself within the limits. The engine words what
// was left out.

import {
  type Extent,
  type MediaPart,
  type MimeType,
  type Next,
  type Part,
  PositionReader,
  type ProcessContext,
  plural,
  quoted,
  ReaderError,
  resolveRange,
  type Source,
  throwIfAborted,
  type Unit,
  type Warning,
} from '../../src/contract/index.ts';
import { formatOfPicture, lookAt, notDecoded, type Picture } from './decoder.ts';
import { fitImage } from './fit/fit.ts';
import type { FittedImage } from './fit/fitted-image.ts';
import type { FitOptions } from './fit/plan.ts';
import { headerSize } from './header.ts';
import { FORMAT_NAME, type PictureFormat } from './signature.ts';

/** Maximum pictures per response when several pages are requested. */
const MAX_PICTURES = 4;
/** Camera raw files with a plain TIFF signature: their first picture is a thumbnail. */
const RAW_TIFF = new Set(['.nef', '.arw', '.dng']);

export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const { budget, selection } = context;
  const asked = budget.tokens >= 1 && budget.characters >= 1;
  const bytes = await source.bytes();
  throwIfAborted(context.signal);
  const format = RAW_TIFF.has(source.extension) ? 'raw' : formatOfPicture(bytes);
  if (format === undefined)
    throw new ReaderError(
      'CORRUPT_FILE',
      'The file does not contain a picture in a known format.',
      'Check that it was saved or transferred completely.',
    );
  context.describe({ ...headerSize(format, bytes), format, mimeType: MIME[format] });
  warnOfName(source, format, context);
  const picture = await look(bytes, format, asked);
  if (!picture) return;
  const unit: Unit = picture.format === 'tiff' ? 'page' : 'frame';
  describe(picture, unit, context);
  if (picture.frames > 1) context.whole({ unit, of: picture.frames });
  if (!asked) return;
  const teller = new CaptionWriter(picture, unit, context);
  const { frames: chosen, line } = wanted(picture, context);
  let frames = chosen;
  if (frames === undefined) {
    const fitted = await fitImage(bytes, bounds(context));
    const rest = picture.format === 'png' ? [] : upTo(fitted.shown.frames + 1, picture.frames);
    const next = selection.all ? undefined : nextOf(rest);
    yield* teller.tell(fitted, next);
    const finished = yield* saidIn(bytes, 1, 0, { source, context, used: teller.captions, next });
    if (!selection.all || !finished) return;
    frames = rest;
  }
  const shown = selection.all ? frames : frames.slice(0, MAX_PICTURES);
  for (const [i, frame] of shown.entries()) {
    const next = nextOf(frames.slice(i + 1));
    // The rest of a picture's text does not need the picture again.
    const resumed = i === 0 && line > 0;
    if (!resumed) yield* teller.tell(await fitImage(bytes, { ...bounds(context), frame }), next);
    if (
      !(yield* saidIn(bytes, frame, resumed ? line - 1 : 0, { source, context, used: teller.captions, next }))
    )
      return;
  }
}

interface SaidOptions {
  readonly source: Source;
  readonly context: ProcessContext;
  readonly used: string;
  readonly next: Next | undefined;
}

/** The text of a frame from a line on, if anything reads it. False if the answer ends inside. */
async function* saidIn(
  bytes: Uint8Array,
  frame: number,
  from: number,
  { source, context, used, next }: SaidOptions,
): AsyncGenerator<Part, boolean> {
  if (!context.ocr && !context.describer) return true;
  const { seenTextOf, textPart, textWhole } = await import('./seen-text.ts');
  const text = await seenTextOf(source, bytes, frame, context);
  if (text.lines.length === 0) return true;
  context.whole(textWhole(text, frame));
  const part = textPart(text, { used, frame, from }, context, next);
  if (part) yield part;
  return part === undefined || part.shown[0]?.to === text.lines.length;
}

/** The whole numbers from `from` to `to`. */
const upTo = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

function nextOf(frames: readonly number[]): Next | undefined {
  const [first] = frames;
  const last = frames.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const closed = last - first + 1 === frames.length;
  return {
    position: [first],
    ...(closed && { request: { pages: first === last ? String(first) : `${first}-${last}` } }),
  };
}

function bounds({ limits, selection, signal }: ProcessContext): FitOptions {
  const { all, detail, region } = selection;
  return {
    maxBytes: all ? Number.POSITIVE_INFINITY : limits.maxImageBytes,
    maxEdge: all || detail === 'full' ? Number.POSITIVE_INFINITY : limits.maxImageEdge,
    maxPixels: limits.maxImagePixels,
    ...(region && { region }),
    ...(detail && { detail }),
    signal,
  };
}

/** Reads the picture's facts; undefined if only metadata is requested and its format cannot be decoded. */
async function look(bytes: Uint8Array, format: PictureFormat, asked: boolean): Promise<Picture | undefined> {
  try {
    if (format === 'raw') throw notDecoded(format, bytes);
    return await lookAt(bytes);
  } catch (error) {
    if (!asked && error instanceof ReaderError && error.code === 'UNSUPPORTED_FORMAT') return undefined;
    throw error;
  }
}

/**
 * The frames to show, one picture each, or undefined for the whole picture, with all frames of an animation; and the
 * line of the first one's text to go on with, without the picture. 0 for none.
 * @throws {ReaderError} BAD_INPUT for pages that do not exist, STALE_CURSOR
 */
function wanted(
  { frames, format }: Picture,
  { selection }: ProcessContext,
): { readonly frames: number[] | undefined; readonly line: number } {
  const { pages, resume } = selection;
  const fields = new PositionReader(
    resume ?? [1],
    'The cursor points to a frame this picture does not have.',
  );
  const from = fields.count(frames, 1);
  const line = fields.countOr(0);
  if (!pages)
    return { frames: resume || (format === 'tiff' && frames > 1) ? upTo(from, frames) : undefined, line };
  const chosen = new Set<number>();
  for (const range of pages) {
    const { from: start, to: end } = resolveRange('pages', range, format === 'png' ? 1 : frames);
    for (let frame = start; frame <= end; frame += 1) chosen.add(frame);
  }
  return { frames: [...chosen].sort((a, b) => a - b).filter((frame) => frame >= from), line };
}

/** Metadata: the upright size of one frame, and how the file stores it. */
function describe(picture: Picture, unit: Unit, { describe: tell }: ProcessContext): void {
  const { width, height, frames, hasAlpha, colorspace, bitDepth, density, orientation, duration } = picture;
  tell({
    width,
    height,
    [`${unit}s`]: frames,
    hasAlpha,
    colorspace,
    ...(bitDepth !== undefined && { bitDepth }),
    ...(density !== undefined && { density }),
    orientation,
    ...(duration !== undefined && { duration }),
  });
}

/** Writes captions within the budget and yields them with their pictures. */
class CaptionWriter {
  readonly #picture: Picture;
  readonly #unit: Unit;
  readonly #context: ProcessContext;
  readonly #given: Record<string, unknown>[] = [];
  #captions = '';

  constructor(picture: Picture, unit: Unit, context: ProcessContext) {
    this.#picture = picture;
    this.#unit = unit;
    this.#context = context;
  }

  /** All captions of this answer. */
  get captions(): string {
    return this.#captions;
  }

  *tell(fitted: FittedImage, next: Next | undefined): Generator<Part> {
    const { data, mimeType, untouched, shown } = fitted;
    const { warn, describe: tell, selection } = this.#context;
    for (const warning of warningsOf(fitted, this.#picture, this.#unit)) warn(warning);
    if (!untouched) {
      const { width, height, bytes } = shown;
      this.#given.push({ mimeType, width, height, bytes });
      tell({ shown: this.#given.length === 1 ? this.#given[0] : this.#given });
    }
    if (!selection.all) yield* this.#caption(fitted);
    const { frames } = this.#picture;
    const place: Extent[] =
      frames > 1
        ? [{ unit: this.#unit, from: shown.first, to: shown.first + shown.frames - 1, of: frames }]
        : [];
    yield { kind: 'binary', data, mimeType, shown: place, ...(next && { next }) } satisfies MediaPart;
  }

  /** The longest caption that still fits the budget. */
  *#caption(fitted: FittedImage): Generator<Part> {
    const { tokens, characters, ...rest } = this.#context.budget;
    const noted = this.#picture.frames > 1;
    const most = noted ? rest.tokensBesideNotes : tokens;
    const units = noted ? rest.charactersBesideNotes : characters;
    for (const caption of captionsOf(fitted, this.#unit, this.#captions === '')) {
      const line = `${caption}\n`;
      if (!this.#context.budget.fits(this.#captions + line, most, units)) continue;
      this.#captions += line;
      yield { kind: 'text', text: '', view: line, shown: [] };
      return;
    }
  }
}

/** Candidate captions, longest first. */
function captionsOf(fitted: FittedImage, unit: Unit, first: boolean): string[] {
  const { original, shown, untouched, mimeType, region } = fitted;
  const { width, height, frames, bytes, orientation, format, duration } = original;
  const name = nameOf(format);
  const seconds = duration === undefined ? '' : ` in ${duration} s`;
  const many = frames > 1 ? `, ${plural(frames, unit)}${seconds}` : '';
  const file = `${name}, ${width} x ${plural(height, format === 'svg' ? 'unit' : 'pixel')}${many}`;
  const one = frames > 1 && shown.frames === 1 ? `${unit} ${shown.first}, ` : '';
  const cut = region ? `the part ${region.left},${region.top},${region.width},${region.height}, ` : '';
  const turned = orientation > 1 ? 'turned upright, ' : '';
  const given = `${shown.width} x ${plural(shown.height, 'pixel')} of ${typeOf(mimeType)}, ${plural(shown.bytes, 'byte')}`;
  const what = untouched ? 'Shown unchanged' : `Shown: ${one}${cut}${turned}${given}`;
  if (!first) return [`${what}.`];
  return [`${file}, ${plural(bytes, 'byte')}. ${what}.`, `${file}.`, `${name}.`];
}

/** `JPEG` for `image/jpeg`. */
const typeOf = (mimeType: MimeType): string => {
  const type = mimeType.slice('image/'.length);
  return type === 'webp' ? 'WebP' : type.toUpperCase();
};

/** `PNG image`: the format's name without its article. */
const nameOf = (format: PictureFormat): string => FORMAT_NAME[format].replace(/^an? /, '');

function warningsOf(fitted: FittedImage, picture: Picture, unit: Unit): Warning[] {
  const { mimeType, shown } = fitted;
  const warnings: Warning[] = [];
  if (!['png', 'jpeg', 'gif', 'webp'].includes(picture.format))
    warnings.push({
      code: 'CONVERTED',
      message: `The file is ${FORMAT_NAME[picture.format]}; shown as ${typeOf(mimeType)}.`,
    });
  if (fitted.damaged)
    warnings.push({
      code: 'SKIPPED_CONTENT',
      message: 'The picture is damaged: only the part that could be decoded is shown.',
    });
  if (unit === 'frame' && shown.first === 1 && shown.frames < picture.frames)
    warnings.push({
      code: 'CONVERTED',
      message: `The animation exceeds the limits: 1 of its ${picture.frames} frames is shown as a still.`,
    });
  return warnings;
}

/** MIME type of each format. */
const MIME: Readonly<Record<PictureFormat, MimeType>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  tiff: 'image/tiff',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  heic: 'image/heic',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  cur: 'image/x-icon',
  psd: 'image/vnd.adobe.photoshop',
  jp2: 'image/jp2',
  j2k: 'image/j2c',
  jxl: 'image/jxl',
  qoi: 'image/qoi',
  dds: 'image/vnd-ms.dds',
  xcf: 'image/x-xcf',
  icns: 'image/icns',
  raw: 'image/x-raw',
};

/** The formats an extension implies, for extensions that are often wrong. */
const ENDINGS: Readonly<Record<string, PictureFormat>> = {
  '.png': 'png',
  '.apng': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.gif': 'gif',
  '.webp': 'webp',
  '.tif': 'tiff',
  '.tiff': 'tiff',
  '.avif': 'avif',
  '.heic': 'heic',
  '.bmp': 'bmp',
  '.ico': 'ico',
  '.psd': 'psd',
  '.jp2': 'jp2',
  '.jxl': 'jxl',
};

function warnOfName(source: Source, format: PictureFormat, { warn }: ProcessContext): void {
  const promised = ENDINGS[source.extension];
  if (promised !== undefined && promised !== format)
    warn({
      code: 'FORMAT_MISMATCH',
      message: `The extension is ${quoted(source.extension)}, but the content is ${FORMAT_NAME[format]}; read as ${FORMAT_NAME[format]}.`,
    });
}
