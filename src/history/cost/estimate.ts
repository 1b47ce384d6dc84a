// Estimates message tokens for a provider's model family without a vocabulary: weighted character classes in one pass,
// media by dimensions. `src/tokens` counts exactly; `calibration.ts` corrects estimates by the provider's counts.

import { isInsidePair, largestFrom, type Tokens } from '../../contract/index.ts';
import type { ProfileName } from '../../models/index.ts';
import type { CodecName } from '../codecs/codec.ts';
import type { Item, MessageView } from '../codecs/message.ts';
import { type MediaRule, mediaRule } from './media.ts';
import { scale, type TextCost, textCost } from './text.ts';
import { toolTexts } from './tool-texts.ts';

/** Estimates for one profile. Every result is a finite whole number of tokens, 0 or more, for any input. */
export interface Estimator {
  readonly profile: ProfileName;
  /** 0 for an empty text; a text never costs less than its prefix. Linear in the length. */
  text(text: string): Tokens;
  /** Cost of a part with its framing; media by dimensions, never by base64 length. */
  item(item: Item): Tokens;
  /** Cost of a part without its text: names, framing, media. */
  beyondText(item: Item): Tokens;
  /** Cost of a message: its parts and framing. */
  message(view: MessageView): Tokens;
  /**
   * Cost of tool definitions in any framework's format: a list or record of tools, with schemas as JSON Schema or zod.
   * Unreadable input costs nothing; a bounded part of endless input is read.
   */
  tools(tools: unknown): Tokens;
  /** Length of the longest prefix of `text` that costs at most `tokens`; never splits a surrogate pair. */
  prefix(text: string, tokens: Tokens): number;
  /**
   * Length of a suffix of `text` that costs at most `tokens`. It is the longest, or a few units shorter if it starts
   * inside a word; never splits a surrogate pair.
   */
  suffix(text: string, tokens: Tokens): number;
}

/** Token costs of framing. */
interface Frames {
  readonly message: Tokens;
  readonly call: Tokens;
  readonly result: Tokens;
  readonly tool: Tokens;
  /** Per character of an opaque part. */
  readonly opaque: number;
}

/**
 * OpenAI's cookbook counts 3 tokens per message; its tool calls need a few more. Anthropic: see `TABLE` in text.ts.
 * Gemini is not documented: as OpenAI, slightly higher.
 */
const FRAMES: Readonly<Record<ProfileName, Frames>> = {
  anthropic: { message: 4, call: 50, result: 36, tool: 30, opaque: 0.34 },
  openai: { message: 4, call: 14, result: 8, tool: 12, opaque: 0.3 },
  gemini: { message: 5, call: 16, result: 12, tool: 14, opaque: 0.3 },
  conservative: { message: 5, call: 60, result: 40, tool: 30, opaque: 0.4 },
};

function wholeTokens(thousandths: number): Tokens {
  return Math.ceil(thousandths / scale);
}

/** The weight of a part, limited to valid values. */
function weightOf(item: Item): number {
  return item.weight > 0 && item.weight <= Number.MAX_SAFE_INTEGER ? item.weight : 0;
}

/** Length of a suffix of `value` that costs at most `limit` thousandths; see `Estimator.suffix`. */
function backWithin(costs: TextCost, value: string, limit: number): number {
  const { length } = value;
  const size = largestFrom(0, length, (most) => costs.cost(value, length - most, length) <= limit);
  return isInsidePair(value, length - size) ? size - 1 : size;
}

/**
 * Creates an estimator: text by `profile`; media by `model` if its name is known, else by `profile`, else by the
 * message `format`. Cheap; loads nothing.
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
    if (value.media !== null) return beyond + media(value.media);
    if (value.kind === 'call') return beyond + text(value.toolName ?? '') + frames.call;
    return value.kind === 'result' ? beyond + frames.result : beyond;
  }

  // Text of media is not read.
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
    prefix,
    suffix,
  };
}
