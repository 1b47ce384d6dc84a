// Estimates the tokens of messages for a provider's family of models, without a vocabulary: weighted classes of characters
// in one pass, media by dimensions. Not a count: `src/tokens` counts, and `calibration.ts` corrects by what the provider says.

import { isInsidePair, type Tokens } from '../../contract/index.ts';
import type { ProfileName } from '../../models/index.ts';
import type { CodecName } from '../codecs/codec.ts';
import type { Item, MessageView } from '../codecs/message.ts';
import { type MediaRule, mediaRule } from './media.ts';
import { scale, type TextCost, textCost } from './text.ts';
import { toolTexts } from './tool-texts.ts';

/** Estimates of one profile. Every figure is a whole number of tokens, 0 or more, and finite whatever is given. */
export interface Estimator {
  readonly profile: ProfileName;
  /** 0 for an empty text; a longer text never costs less than the front of it. Linear in the length. */
  text(text: string): Tokens;
  /** Of a part with what frames it; a media part by its dimensions, never by its length as base64. */
  item(item: Item): Tokens;
  /** The same without the part's own text: names, frames, media. */
  beyondText(item: Item): Tokens;
  /** Of its parts and the frame of a message. */
  message(view: MessageView): Tokens;
  /**
   * Of tool definitions in any form a framework takes them: a list or a record of tools, with schemas as JSON Schema or
   * zod. What cannot be read costs nothing; of endless ones a bounded part is read.
   */
  tools(tools: unknown): Tokens;
  /** No text of `length` UTF-16 units costs more: for sorting out the small without reading them. */
  atMost(length: number): Tokens;
  /** Length of the longest front of `text` that costs at most `tokens`; never ends inside a surrogate pair. */
  prefix(text: string, tokens: Tokens): number;
  /**
   * Length of a back of `text` that costs at most `tokens` and is the longest or, where its first word is cut, a few
   * units short of it; never starts inside a surrogate pair.
   */
  suffix(text: string, tokens: Tokens): number;
}

/** What frames parts, in tokens. */
interface Frames {
  readonly message: Tokens;
  readonly call: Tokens;
  readonly result: Tokens;
  readonly tool: Tokens;
  /** Of a character of a part of unknown make. */
  readonly opaque: number;
}

/**
 * OpenAI's cookbook counts 3 tokens a message; its tool calls carry a few more. Anthropic: see `TABLE` in text.ts. Gemini says nothing:
 * as OpenAI, a little higher.
 */
const FRAMES: Readonly<Record<ProfileName, Frames>> = {
  anthropic: { message: 4, call: 50, result: 36, tool: 30, opaque: 0.34 },
  openai: { message: 4, call: 14, result: 8, tool: 12, opaque: 0.3 },
  gemini: { message: 5, call: 16, result: 12, tool: 14, opaque: 0.3 },
  conservative: { message: 5, call: 60, result: 40, tool: 30, opaque: 0.4 },
};

/** Characters a back is first looked for in; doubled until they are too many. */
const FIRST_LOOK = 1024;

function wholeTokens(thousandths: number): Tokens {
  return Math.ceil(thousandths / scale);
}

/** The weight of a part, as far as it can be trusted. */
function weightOf(item: Item): number {
  return item.weight > 0 && item.weight <= Number.MAX_SAFE_INTEGER ? item.weight : 0;
}

/** Length of the longest back of `value` that costs at most `limit` thousandths: as `Estimator.suffix`. */
function backWithin(costs: TextCost, value: string, limit: number): number {
  const { length } = value;
  const cost = (from: number): number => costs.cost(value, from, length);
  const fits = (from: number): boolean => cost(from) <= limit;
  let low = length;
  let size = FIRST_LOOK;
  do {
    if (low === 0) return length;
    low = Math.max(0, length - size);
    size *= 2;
  } while (fits(low));
  // What must go from the front of this is near what is over; only a word cut in two costs otherwise.
  low = costs.reach(value, low, cost(low) - limit);
  let high = low;
  for (let step = 1; low > 0 && fits(low); step *= 2) {
    high = low;
    low = Math.max(0, low - step);
  }
  for (let step = 1; high < length && !fits(high); step *= 2) {
    low = high;
    high = Math.min(length, high + step);
  }
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return length - (isInsidePair(value, high) ? high + 1 : high);
}

/**
 * Estimates of text by `profile`, of media by `model` where its name is known, else by `profile`, else by the `format` of
 * the messages; cheap to make, nothing is loaded.
 */
export function createEstimator(
  profile: ProfileName,
  model = '',
  format: CodecName | null = null,
): Estimator {
  const costs: TextCost = textCost(profile);
  const frames = FRAMES[profile];
  const media: MediaRule = mediaRule(model, profile, format);

  const text = (value: string): Tokens => wholeTokens(costs.cost(value, 0, value.length));

  function beyondText(value: Item): Tokens {
    const beyond = Math.ceil(weightOf(value) * frames.opaque);
    if (value.kind === 'media') return beyond + (value.media === null ? 0 : media(value.media));
    if (value.kind === 'call') return beyond + text(value.toolName ?? '') + frames.call;
    return value.kind === 'result' ? beyond + frames.result : beyond;
  }

  // Of media no text is read.
  const item = (value: Item): Tokens => beyondText(value) + (value.kind === 'media' ? 0 : text(value.text));

  function message(view: MessageView): Tokens {
    let tokens = frames.message;
    for (const part of view.items) tokens += item(part);
    return tokens;
  }

  function tools(value: unknown): Tokens {
    const found = toolTexts(value);
    return found.tools * frames.tool + text(found.text);
  }

  function prefix(value: string, tokens: Tokens): number {
    if (!(tokens > 0)) return 0;
    const end = costs.reach(value, 0, Math.floor(tokens) * scale);
    return isInsidePair(value, end) ? end - 1 : end;
  }

  function suffix(value: string, tokens: Tokens): number {
    if (!(tokens > 0)) return 0;
    return backWithin(costs, value, Math.floor(tokens) * scale);
  }

  return {
    profile,
    text,
    item,
    beyondText,
    message,
    tools,
    atMost: (length) => (length > 0 ? wholeTokens(length * costs.most) : 0),
    prefix,
    suffix,
  };
}
