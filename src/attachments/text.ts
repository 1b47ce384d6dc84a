// Text: the reader's own answer within the share, whole or as a sample that says so.

import { plural, type Tokens, throwIfAborted } from '../contract/index.ts';
import type { FileExtractionResult, ReadSuccess } from '../reader/result.ts';
import { AROUND_PART, jsonBytes } from './allowance.ts';
import type { Seen } from './look.ts';
import {
  broken,
  callOf,
  FULL,
  headingOf,
  left,
  type Outcome,
  omittedIn,
  onward,
  SPENT,
  type Turn,
} from './outcome.ts';
import type { AttachmentPart } from './part.ts';

/** A text of fewer tokens says nothing. */
const LEAST_TEXT: Tokens = 12;

/** Makes the pictures of an answer fit; given by who knows pictures. */
export type GivePictures = (
  look: Seen,
  result: ReadSuccess,
  turn: Turn,
) => Promise<{ readonly parts: readonly AttachmentPart[]; readonly tokens: Tokens }>;

/**
 * What the reader says of the file. `why` tells for what reason a file that could go as it is goes as text; `pictures`
 * what becomes of those in the answer.
 */
export async function giveText(
  look: Seen,
  turn: Turn,
  why: string,
  pictures?: GivePictures,
): Promise<Outcome> {
  const { tools, share, allowance, signal } = turn;
  const heading = headingOf(look.name);
  const around = tools.count(heading);
  if (share - around < LEAST_TEXT) return unpaid(look, turn);
  const result = await tools.reader.read(look.again(), { maxTokens: share - around, signal });
  if (!result.success) return unread(look, result, turn);
  const { fileType, metadata, truncation } = result;
  const seen = { ...look, mimeType: metadata.mimeType };
  if (fileType === 'audio' || fileType === 'video') return left(seen, factsOf(result), turn);
  const worded = fileType !== 'image' && result.text.trim() !== '';
  const text = worded ? result.text : '';
  if (jsonBytes(heading + text) + 2 * AROUND_PART > allowance.bytes) return left(seen, FULL, turn);
  const words = around + (worded ? tools.count(text) : 0);
  const shown = await pictures?.(look, result, { ...turn, share: share - words });
  const drawn = shown?.parts ?? [];
  if (!worded && drawn.length === 0)
    return left(seen, fileType === 'image' ? factsOf(result) : 'it holds nothing to show', turn);
  allowance.takeText(heading + text);
  allowance.takeTokens(words);
  const first: AttachmentPart = worded
    ? { kind: 'text', heading, text, name: look.name }
    : { kind: 'label', text: heading };
  const beside = drawn.length === 0 ? '' : ` and ${plural(drawn.length, 'picture')} of its pages`;
  const form = worded ? `, as text${beside}` : ', as a picture';
  const reason = why === '' ? '' : `, since ${why}`;
  const { path } = look;
  return {
    given: truncation ? 'sample' : worded ? 'text' : 'image',
    tokens: words + (shown?.tokens ?? 0),
    note: `Given ${truncation ? 'in part' : 'whole'}${form}${reason}${truncation ? omittedIn(truncation) : ''}.`,
    parts: [first, ...drawn],
    ...(metadata.mimeType !== undefined && { mimeType: metadata.mimeType }),
    ...(truncation && { truncation }),
    ...(truncation &&
      path !== undefined &&
      turn.tool !== undefined && { call: callOf(turn.tool, path, onward(truncation)) }),
  };
}

/** A file that the reader can make nothing of. @throws {ReaderError} ABORTED */
export function unread(
  look: Seen,
  { error }: Extract<FileExtractionResult, { success: false }>,
  { signal }: Turn,
): Outcome {
  throwIfAborted(signal);
  return broken(look, error);
}

/** Nothing of it can be paid for. Whether it can be read at all is found out, so that no call is promised in vain. */
async function unpaid(look: Seen, turn: Turn): Promise<Outcome> {
  const { tools, signal } = turn;
  const result = await tools.reader.read(look.again(), { maxTokens: 1, signal });
  return result.success ? left(look, SPENT, turn) : unread(look, result, turn);
}

/** The reader's first line about a file that is no text. */
const factsOf = ({ text }: ReadSuccess): string =>
  text.split('\n', 1)[0]?.replace(/\.$/, '') || 'it holds nothing to show';
