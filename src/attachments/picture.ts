// Pictures: included unchanged if the request accepts them, else rotated, reduced or converted until it does. A drawing
// that cannot be rendered is included as text.

import { type Bytes, headingOf, plural, ReaderError, type Tokens } from '../contract/index.ts';
import { edgeFor, imageTokens, leastTokens } from '../models/index.ts';
import type { ReadSuccess } from '../reader/index.ts';
import { AROUND_PART, base64Length } from './allowance.ts';
import type { ClassifiedFile, KnownFile } from './classify.ts';
import {
  broken,
  CHANGED,
  callOf,
  carries,
  contentOf,
  type FitImage,
  FULL,
  left,
  more,
  type Outcome,
  SPENT,
  type Turn,
} from './outcome.ts';
import type { AttachedFile, AttachmentPart } from './part.ts';
import { type GivenPictures, giveText } from './text.ts';

/** A picture is never compressed below this size. */
const LEAST_PICTURE: Bytes = 1024;

/** A picture, or a drawing. */
export async function giveImage(
  file: ClassifiedFile & { readonly kind: 'image' },
  turn: Turn,
): Promise<Outcome> {
  const { allowance, tools, share } = turn;
  const { limits } = allowance;
  const carried = carries(limits, 'image', file.mimeType);
  const without = (reason: string, error?: AttachedFile['error']): Promise<Outcome> | Outcome =>
    file.drawn
      ? giveText(file, turn, reason)
      : error
        ? broken(file, error)
        : left(file, reason, turn, { carried });
  if (limits.imageTypes.value.length === 0) return without('pictures are not accepted');
  if (allowance.images < 1)
    return without(`the request accepts at most ${plural(limits.images.value ?? 0, 'picture')}`);
  const heading = headingOf(file.name);
  const around = tools.count(heading);
  const bytes = await contentOf(file, turn);
  if (!bytes) return left(file, CHANGED, turn);
  const found = await fitted(bytes, { ...turn, share: share - around }, file);
  if ('reason' in found) {
    const outcome = await without(found.reason, found.error);
    if (found.reason !== SPENT) return outcome;
    return { ...outcome, wants: around + leastTokens(limits.imageTokens.value, file) };
  }
  allowance.takeImage(found.data.length);
  allowance.takeText(heading);
  allowance.takeTokens(around + found.tokens);
  const { data, mimeType, shown, original, untouched } = found;
  const unpaid = imageTokens(limits.imageTokens.value, original) > share - around;
  const smaller = !file.drawn && (shown.width < original.width || shown.height < original.height);
  const from = smaller ? `, made from one of ${original.width} x ${original.height}` : '';
  const still = original.frames > shown.frames ? `, the first of ${plural(original.frames, 'frame')}` : '';
  const size = `${shown.width} x ${plural(shown.height, 'pixel')}`;
  const type = mimeType.slice('image/'.length).toUpperCase();
  const quarter = `0,0,${Math.ceil(original.width / 2)},${Math.ceil(original.height / 2)}`;
  return {
    given: untouched ? 'native' : 'image',
    tokens: around + found.tokens,
    note: untouched
      ? `Included unchanged: a picture of ${size}.`
      : `Included as a ${type} picture of ${size}${from}${still}.`,
    mimeType: file.mimeType ?? mimeType,
    parts: [
      { kind: 'label', text: heading },
      { kind: 'image', data, mimeType, name: file.name, width: shown.width, height: shown.height },
    ],
    ...(smaller && unpaid && { wants: more(around + found.tokens) }),
    ...(smaller &&
      file.path !== undefined &&
      turn.tool !== undefined && { call: callOf(turn.tool, file.path, { region: quarter }) }),
  };
}

/**
 * The pictures of an answer that has more than text, such as a scan's pages or an archive's entry: as many as fit in
 * the share. Deducted from the allowance.
 */
export async function picturesOf(
  file: KnownFile,
  { content }: ReadSuccess,
  turn: Turn,
): Promise<GivenPictures> {
  const { allowance } = turn;
  const parts: AttachmentPart[] = [];
  const pages: number[] = [];
  let tokens = 0;
  let unpaid = false;
  for (const part of content) {
    if (part.kind !== 'binary' || !part.mimeType.startsWith('image/')) continue;
    if (allowance.limits.imageTypes.value.length === 0 || !allowance.another) break;
    const found = await fitted(part.data, { ...turn, share: turn.share - tokens }, undefined);
    if ('reason' in found) {
      unpaid ||= found.reason === SPENT;
      continue;
    }
    const { data, mimeType, shown } = found;
    allowance.takeImage(data.length);
    allowance.takeTokens(found.tokens);
    tokens += found.tokens;
    parts.push({ kind: 'image', data, mimeType, name: file.name, width: shown.width, height: shown.height });
    const page = part.at.find(({ unit }) => unit === 'page' || unit === 'slide');
    if (page) pages.push(page.from);
  }
  return { parts, tokens, pages, unpaid };
}

type Fitted = Awaited<ReturnType<FitImage>> & { readonly tokens: Tokens };

interface Unfit {
  readonly reason: string;
  readonly error?: AttachedFile['error'];
}

interface Bounds {
  readonly maxBytes: Bytes;
  readonly maxBase64Bytes: Bytes;
  readonly maxEdge: number;
}

/**
 * This picture in a form the request accepts and the share pays for, or the reason why there is none. `known`: its
 * size.
 */
async function fitted(
  bytes: Uint8Array,
  turn: Turn,
  known: { readonly width: number; readonly height: number } | undefined,
): Promise<Fitted | Unfit> {
  const { allowance, share } = turn;
  const { limits, edge } = allowance;
  const rule = limits.imageTokens.value;
  const maxBase64Bytes = Math.min(
    limits.imageBase64Bytes.value ?? Number.POSITIVE_INFINITY,
    Math.min(turn.byteShare, allowance.bytes) - 2 * AROUND_PART,
  );
  const maxBytes = Math.min(
    limits.imageBytes.value ?? Number.POSITIVE_INFINITY,
    Math.floor(maxBase64Bytes / 4) * 3,
  );
  if (maxBytes < LEAST_PICTURE) return { reason: FULL };
  if (share < 1) return { reason: SPENT };
  const shrinks = known && (Math.max(known.width, known.height) > edge || bytes.length > maxBytes);
  const useful = shrinks ? Math.min(edge, limits.usefulEdge.value ?? edge) : edge;
  let maxEdge = Math.min(useful, (known && edgeFor(rule, known, share)) ?? useful);
  // Repeated if the actual size differs from the expected one.
  for (let round = 0; round < 3; round += 1) {
    const made = await make(bytes, { maxBytes, maxBase64Bytes, maxEdge }, turn);
    if ('reason' in made) return made;
    const tokens = imageTokens(rule, made.shown);
    if (tokens <= share) return accepted(made, { maxBytes, maxBase64Bytes, maxEdge: edge }, turn, tokens);
    const smaller = edgeFor(rule, made.shown, share);
    if (smaller === undefined) return { reason: SPENT };
    maxEdge = Math.min(maxEdge, smaller);
  }
  return { reason: SPENT };
}

/** A single frame if animation is not accepted, another type if its own is not accepted. */
async function make(
  bytes: Uint8Array,
  { maxBytes, maxBase64Bytes, maxEdge }: Bounds,
  { tools, allowance, signal }: Turn,
): Promise<Awaited<ReturnType<FitImage>> | Unfit> {
  const { imageTypes, animations } = allowance.limits;
  const options = { maxBytes, maxBase64Bytes, signal, ...(Number.isFinite(maxEdge) && { maxEdge }) };
  try {
    const made = await tools.fitImage(bytes, options);
    const moves = made.shown.frames > 1 && !animations.value;
    if (!moves && imageTypes.value.includes(made.mimeType)) return made;
    const still = moves ? await tools.fitImage(bytes, { ...options, frame: 1 }) : made;
    if (imageTypes.value.includes(still.mimeType) && still.shown.frames === 1) return still;
    // Cropping to the full size forces re-encoding as a single frame.
    const { width, height } = still.original;
    return await tools.fitImage(bytes, { ...options, frame: 1, region: { left: 0, top: 0, width, height } });
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code === 'ABORTED') throw error;
    const { code, message, hint } = error;
    return { reason: message.replace(/\.$/, ''), error: { code, message, hint } };
  }
}

/** Measures the result again: only checked pictures are sent. */
function accepted(
  made: Awaited<ReturnType<FitImage>>,
  { maxBytes, maxBase64Bytes, maxEdge }: Bounds,
  { allowance }: Turn,
  tokens: Tokens,
): Fitted | Unfit {
  const { data, mimeType, shown } = made;
  const fits =
    data.length > 0 &&
    data.length <= maxBytes &&
    base64Length(data.length) <= maxBase64Bytes &&
    Math.max(shown.width, shown.height) <= maxEdge &&
    allowance.limits.imageTypes.value.includes(mimeType);
  return fits ? { ...made, tokens } : { reason: 'it cannot be converted to an accepted picture' };
}
