// Text: the reader's answer within the share, complete or as a sample with a note.

import {
  type Extent,
  headingOf,
  plural,
  type RequestFields,
  type Tokens,
  throwIfAborted,
} from '../contract/index.ts';
import type { FileExtractionResult, ReadSuccess } from '../reader/index.ts';
import { AROUND_PART, jsonBytes } from './allowance.ts';
import type { KnownFile } from './classify.ts';
import { mediaFacts, withFacts } from './media-facts.ts';
import {
  broken,
  callOf,
  carries,
  FULL,
  left,
  more,
  type Outcome,
  omittedIn,
  onward,
  SPENT,
  type Turn,
} from './outcome.ts';
import type { AttachmentPart } from './part.ts';
import { inRanges } from './scans.ts';

/** Fewer tokens than this are not useful. */
const LEAST_TEXT: Tokens = 12;

/** Pictures of an answer included with its text. */
export interface GivenPictures {
  readonly parts: readonly AttachmentPart[];
  readonly tokens: Tokens;
  /** Page numbers shown as pictures. */
  readonly pages: readonly number[];
  /** The share did not pay for all of them. */
  readonly unpaid: boolean;
  /** Pages shown neither as text nor as a picture, and the request that shows the first of them. */
  readonly omitted?: readonly Extent[];
  readonly request?: RequestFields & { readonly detail: 'auto' };
}

/** Makes the pictures of an answer fit; provided by the picture module. */
export type GivePictures = (file: KnownFile, result: ReadSuccess, turn: Turn) => Promise<GivenPictures>;

/**
 * Includes the reader's answer. `why` is the reason a file that could be included unchanged is included as text;
 * `pictures` handles the pictures in the answer.
 */
export async function giveText(
  file: KnownFile,
  turn: Turn,
  why: string,
  pictures?: GivePictures,
): Promise<Outcome> {
  const { tools, share, allowance, signal } = turn;
  const heading = headingOf(file.name);
  const around = tools.count(heading);
  if (share - around < LEAST_TEXT) return unpaid(file, turn, around + LEAST_TEXT);
  const result = await tools.reader.read(file.again(), { maxTokens: share - around, signal });
  if (!result.success) return unread(file, result, turn);
  const { fileType, metadata, truncation } = result;
  const typed = { ...file, mimeType: metadata.mimeType };
  const carried = carries(allowance.limits, fileType, metadata.mimeType);
  if (fileType === 'audio' || fileType === 'video') {
    const why = carried ? 'sound inside another file is not attached' : NOT_ACCEPTED[fileType];
    return left(typed, `${aboutOf(result)}; ${why}`, turn, { carried });
  }
  const worded = fileType !== 'image' && result.text.trim() !== '';
  const text = worded ? result.text : '';
  if (jsonBytes(heading + text) + 2 * AROUND_PART > allowance.bytes) return left(typed, FULL, turn);
  const words = around + (worded ? tools.count(text) : 0);
  const shown = await pictures?.(file, result, { ...turn, share: share - words });
  const drawn = shown?.parts ?? [];
  if (!worded && drawn.length === 0)
    return fileType === 'image'
      ? left(typed, `${aboutOf(result)}; ${unshown(shown, turn)}`, turn, { carried })
      : left(typed, 'it has no content to show', turn);
  allowance.takeText(heading + text);
  allowance.takeTokens(words);
  const first: AttachmentPart = worded
    ? { kind: 'text', heading, text, name: file.name }
    : { kind: 'label', text: heading };
  const omitted = [...(shown?.omitted ?? []), ...(truncation?.omitted ?? [])];
  const partly = truncation !== null || omitted.length > 0;
  const tokens = words + (shown?.tokens ?? 0);
  const spent = shown?.unpaid === true || (partly && tokens * 4 > share * 3);
  const request = shown?.request ?? (truncation ? onward(truncation) : undefined);
  const { path } = file;
  // The remaining pages can only be shown as pictures.
  const closed = partly && truncation === null && allowance.limits.imageTypes.value.length === 0;
  return {
    given: partly ? 'sample' : worded ? 'text' : 'image',
    tokens,
    note: `${partly ? 'Partly included' : 'Included completely'}${formOf(worded, shown)}${why === '' ? '' : `, because ${why}`}${omittedIn({ ...truncation, omitted })}.`,
    parts: [first, ...drawn],
    ...(spent && { wants: more(tokens) }),
    ...(metadata.mimeType !== undefined && { mimeType: metadata.mimeType }),
    ...(truncation && { truncation }),
    ...(closed && { carried: false }),
    ...(request !== undefined &&
      path !== undefined &&
      turn.tool !== undefined && { call: callOf(turn.tool, path, request) }),
  };
}

function formOf(worded: boolean, shown: GivenPictures | undefined): string {
  if (!worded) return ', as a picture';
  if (!shown || shown.parts.length === 0) return ', as text';
  const pages =
    shown.pages.length === 0
      ? 'its pages'
      : `${shown.pages.length === 1 ? 'page' : 'pages'} ${inRanges(shown.pages)}`;
  return `, as text and ${plural(shown.parts.length, 'picture')} of ${pages}`;
}

/** A file the reader cannot use. @throws {ReaderError} ABORTED */
export function unread(
  file: KnownFile,
  { error }: Extract<FileExtractionResult, { success: false }>,
  { signal }: Turn,
): Outcome {
  throwIfAborted(signal);
  return broken(file, error);
}

/** The share pays for nothing. Checks whether the file is readable at all, so that no useless call is suggested. */
async function unpaid(file: KnownFile, turn: Turn, wants: Tokens): Promise<Outcome> {
  const { tools, signal } = turn;
  const result = await tools.reader.read(file.again(), { maxTokens: 1, signal });
  if (!result.success) return unread(file, result, turn);
  const carried = carries(turn.allowance.limits, result.fileType, result.metadata.mimeType);
  return left(file, SPENT, turn, { wants, carried });
}

const NOT_ACCEPTED = { audio: 'sound is not accepted', video: 'video is not accepted' } as const;

/** Describes a file that is not text: `a recording of 2.1 s, 16000 Hz, 1 channel`. */
function aboutOf({ fileType, metadata }: ReadSuccess): string {
  const what = fileType === 'image' ? 'a picture' : fileType === 'video' ? 'a video' : 'a recording';
  return withFacts(what, mediaFacts(metadata, metadata.bytes ?? 0));
}

/** Why no picture of an answer is included. */
function unshown(shown: GivenPictures | undefined, { allowance }: Turn): string {
  const { imageTypes, images } = allowance.limits;
  if (imageTypes.value.length === 0) return 'pictures are not accepted';
  if (allowance.images < 1) return `the request accepts at most ${plural(images.value ?? 0, 'picture')}`;
  return shown?.unpaid === true ? SPENT : FULL;
}
