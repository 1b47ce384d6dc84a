// What OpenAI's two flat formats have in common but write differently, and what a list of either must be. How an item is read
// is said elsewhere.

import type { ProviderRules } from '../codec.ts';
import type { Native } from '../native.ts';
import type { TextPart } from './part.ts';

/** How a flat format writes what both have. */
export interface Dialect {
  readonly callId: 'call_id' | 'callId';
  readonly callerId: 'caller_id' | 'callerId';
  readonly exitCode: 'exit_code' | 'exitCode';
  /** Type of the result of a function call, and of a computer call. */
  readonly functionResult: string;
  readonly computerResult: string;
  /** What the answer to a function call says beside its id and text. */
  readonly answered: (toolName: string) => Native;
  /** Where the output of a program lies. */
  readonly programOutput: 'result' | 'output';
  /** A text the assistant says, as a part. */
  readonly said: TextPart;
}

/** A text told to a model, as a part: both formats write it the same. */
export const toldPart: TextPart = (text) => ({ type: 'input_text', text });

/** A result is an item of its own, anywhere after its call; reasoning wants the item it led to. */
export const FLAT_RULES: ProviderRules = {
  startsWith: 'any',
  endsWithUser: false,
  alternates: false,
  results: 'anywhere',
  resultsTogether: false,
  callId: null,
  mayBeEmpty: true,
  reasoningAlone: false,
  argsBesideSealed: false,
};
