// Splits what Mastra joins: it puts the responses of all steps of a run in one message, and their results in another.
// After splitting, older steps can be removed while newer ones stay, and the start of the prompt is the same for every
// step.

import type { Codec } from '../codecs/codec.ts';
import { codecOf } from '../codecs/index.ts';
import { fields } from './ai-sdk/call.ts';

const codec: Codec = codecOf('ai-sdk');

interface Message {
  readonly role: string;
  readonly content: readonly unknown[];
}

function messageOf(value: unknown): Message | null {
  const { role, content } = fields(value);
  return typeof role === 'string' && Array.isArray(content) ? { role, content } : null;
}

const typeOf = (part: unknown): unknown => fields(part)['type'];
const isCall = (part: unknown): boolean => typeOf(part) === 'tool-call';

/**
 * The parts of a response, split into pieces with one call each. If some parts are signed, each piece starts with a
 * signed part: parallel calls share one signature and are invalid without it.
 */
function piecesOf(parts: readonly unknown[]): unknown[][] {
  const sealed = parts.map((part) =>
    codec.view({ role: 'assistant', content: [part] }).items.some((item) => item.sealed),
  );
  const isSigned = sealed.includes(true);
  const pieces: unknown[][] = [];
  let hasCall = false;
  parts.forEach((part, index) => {
    const begins = isSigned ? sealed[index] === true : typeOf(part) !== 'tool-result';
    const piece = pieces.at(-1);
    if (!piece || (hasCall && begins)) {
      pieces.push([part]);
      hasCall = isCall(part);
    } else {
      piece.push(part);
      hasCall ||= isCall(part);
    }
  });
  return pieces;
}

/** A response and the message with its results, as steps; null if there is only one step. */
function apart(response: unknown, results: unknown): unknown[] | null {
  const asked = messageOf(response);
  const answered = messageOf(results);
  if (asked?.role !== 'assistant' || answered?.role !== 'tool') return null;
  if (asked.content.filter(isCall).length < 2) return null;
  const pieces = piecesOf(asked.content);
  if (pieces.length < 2) return null;
  const pieceOf = new Map<unknown, number>();
  pieces.forEach((piece, index) => {
    for (const part of piece) if (isCall(part)) pieceOf.set(fields(part)['toolCallId'], index);
  });
  const found: unknown[][] = pieces.map(() => []);
  for (const part of answered.content) {
    const piece = typeOf(part) === 'tool-result' ? pieceOf.get(fields(part)['toolCallId']) : undefined;
    found[piece ?? pieces.length - 1]?.push(part);
  }
  return pieces.flatMap((content, index) => {
    const step = { ...fields(response), content };
    const answers = found[index] ?? [];
    return answers.length === 0 ? [step] : [step, { ...fields(results), content: answers }];
  });
}

/** The prompt with joined steps split, in order; other messages are the same objects. Linear in the prompt. */
export function stepsApart<M>(prompt: readonly M[]): M[] {
  const list: M[] = [];
  for (let at = 0; at < prompt.length; at += 1) {
    const message = prompt[at];
    const steps = apart(message, prompt[at + 1]);
    if (steps !== null) {
      // Messages of the same format, each with fewer parts.
      for (const step of steps) list.push(step as M);
      at += 1;
    } else if (message !== undefined) list.push(message);
  }
  return list;
}
