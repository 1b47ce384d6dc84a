// Recordings: as they are where the target takes them, else their head and tail, else what is known of them.

import { headingOf } from '../contract/index.ts';
import { type Look, withFacts } from './look.ts';
import { CHANGED, callOf, contentOf, left, type Outcome, onward, SPENT, span, type Turn } from './outcome.ts';
import type { AttachmentPart } from './part.ts';
import { unread } from './text.ts';

type Sound = Look & { readonly kind: 'audio' };

/** A recording. */
export async function giveSound(look: Sound, turn: Turn): Promise<Outcome> {
  const { allowance, tools, share } = turn;
  const { audioTypes, audioTokensPerSecond } = allowance.limits;
  const about = withFacts('a recording', look.facts);
  if (audioTypes.value.length === 0)
    return left(look, `${about}; sound is not accepted`, turn, { carried: false });
  if (!audioTypes.value.includes(look.mimeType))
    return left(look, `${about}; \`${look.mimeType}\` is not accepted`, turn, { carried: false });
  if (look.cutOff) return left(look, `${about}, whose end is missing`, turn);
  if (look.seconds === undefined) return left(look, `${about}; its duration is unknown`, turn);
  const heading = headingOf(look.name);
  const tokens = tools.count(heading) + Math.ceil(look.seconds * audioTokensPerSecond.value);
  const refusal = allowance.refusesSound(look.bytes, look.seconds);
  if (refusal !== undefined) return sample(look, turn, refusal, about);
  if (tokens > share) return { ...(await sample(look, turn, SPENT, about)), wants: tokens };
  const data = await contentOf(look, turn);
  if (!data) return left(look, CHANGED, turn);
  allowance.takeSound(data.length, look.seconds);
  allowance.takeText(heading);
  allowance.takeTokens(tokens);
  return {
    given: 'native',
    tokens,
    note: `Included unchanged: ${about}.`,
    mimeType: look.mimeType,
    parts: [
      { kind: 'label', text: heading },
      { kind: 'audio', data, mimeType: look.mimeType, name: look.name },
    ],
  };
}

/** Head and tail as the reader cuts them. */
async function sample(look: Sound, turn: Turn, why: string, about: string): Promise<Outcome> {
  const { allowance, tools, share, signal } = turn;
  const { audioTypes, audioTokensPerSecond } = allowance.limits;
  const result = await tools.reader.read(look.again(), { signal });
  if (!result.success) return unread(look, result, turn);
  const heading = headingOf(look.name);
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
    parts.push({ kind: 'audio', data: part.data, mimeType: part.mimeType, name: look.name });
  }
  if (parts.length === 0) return left(look, `${about}; ${why}`, turn);
  allowance.takeText(heading);
  allowance.takeTokens(tokens);
  const { truncation } = result;
  const { path } = look;
  return {
    given: truncation ? 'sample' : 'native',
    tokens,
    note: `Given in part: ${shown.join(', ')} of ${about}, since ${why}.`,
    mimeType: look.mimeType,
    parts: [{ kind: 'label', text: heading }, ...parts],
    ...(truncation && { truncation }),
    ...(truncation &&
      path !== undefined &&
      turn.tool !== undefined && { call: callOf(turn.tool, path, onward(truncation)) }),
  };
}
