// Recordings: included unchanged if the target accepts them, else their head and tail, else only a description.

import { headingOf } from '../contract/index.ts';
import type { ClassifiedFile } from './classify.ts';
import { withFacts } from './media-facts.ts';
import { CHANGED, callOf, contentOf, left, type Outcome, onward, SPENT, span, type Turn } from './outcome.ts';
import type { AttachmentPart } from './part.ts';
import { unread } from './text.ts';

type Sound = ClassifiedFile & { readonly kind: 'audio' };

/** A recording. */
export async function giveSound(file: Sound, turn: Turn): Promise<Outcome> {
  const { allowance, tools, share } = turn;
  const { audioTypes, audioTokensPerSecond } = allowance.limits;
  const about = withFacts('a recording', file.facts);
  if (audioTypes.value.length === 0)
    return left(file, `${about}; sound is not accepted`, turn, { carried: false });
  if (!audioTypes.value.includes(file.mimeType))
    return left(file, `${about}; \`${file.mimeType}\` is not accepted`, turn, { carried: false });
  if (file.cutOff) return left(file, `${about}, which is truncated`, turn);
  if (file.seconds === undefined) return left(file, `${about}; its duration is unknown`, turn);
  const heading = headingOf(file.name);
  const tokens = tools.count(heading) + Math.ceil(file.seconds * audioTokensPerSecond.value);
  const refusal = allowance.refusesSound(file.bytes, file.seconds);
  if (refusal !== undefined) return sample(file, turn, refusal, about);
  if (tokens > share) return { ...(await sample(file, turn, SPENT, about)), wants: tokens };
  const data = await contentOf(file, turn);
  if (!data) return left(file, CHANGED, turn);
  allowance.takeSound(data.length, file.seconds);
  allowance.takeText(heading);
  allowance.takeTokens(tokens);
  return {
    given: 'native',
    tokens,
    note: `Included unchanged: ${about}.`,
    mimeType: file.mimeType,
    parts: [
      { kind: 'label', text: heading },
      { kind: 'audio', data, mimeType: file.mimeType, name: file.name },
    ],
  };
}

/** Head and tail as cut by the reader. */
async function sample(file: Sound, turn: Turn, why: string, about: string): Promise<Outcome> {
  const { allowance, tools, share, signal } = turn;
  const { audioTypes, audioTokensPerSecond } = allowance.limits;
  const result = await tools.reader.read(file.again(), { signal });
  if (!result.success) return unread(file, result, turn);
  const heading = headingOf(file.name);
  let tokens = tools.count(heading);
  const parts: AttachmentPart[] = [];
  const shown: string[] = [];
  for (const part of result.content) {
    if (part.kind !== 'binary' || !audioTypes.value.includes(part.mimeType)) continue;
    const extent = part.at.find(({ unit }) => unit === 'second');
    if (!extent) continue;
    const seconds = extent.to - extent.from + 1;
    const cost = Math.ceil(seconds * audioTokensPerSecond.value);
    if (tokens + cost > share || allowance.refusesSound(part.data.length, seconds) !== undefined) continue;
    allowance.takeSound(part.data.length, seconds);
    tokens += cost;
    shown.push(span(extent));
    parts.push({ kind: 'audio', data: part.data, mimeType: part.mimeType, name: file.name });
  }
  if (parts.length === 0) return left(file, `${about}; ${why}`, turn);
  allowance.takeText(heading);
  allowance.takeTokens(tokens);
  const { truncation } = result;
  const { path } = file;
  return {
    given: truncation ? 'sample' : 'native',
    tokens,
    note: `Partly included: ${shown.join(', ')} of ${about}, because ${why}.`,
    mimeType: file.mimeType,
    parts: [{ kind: 'label', text: heading }, ...parts],
    ...(truncation && { truncation }),
    ...(truncation &&
      path !== undefined &&
      turn.tool !== undefined && { call: callOf(turn.tool, path, onward(truncation)) }),
  };
}
