// Differences in spelling between OpenAI's two flat formats, and the rules for lists of either. Items are read
// elsewhere.

import type { ProviderRules } from '../codec.ts';
import type { Native } from '../native.ts';
import type { TextPart } from './part.ts';

/** How a flat format spells what both formats have. */
export interface Dialect {
  readonly callId: 'call_id' | 'callId';
  readonly callerId: 'caller_id' | 'callerId';
  readonly exitCode: 'exit_code' | 'exitCode';
  /** Type of the result of a function call, and of a computer call. */
  readonly functionResult: string;
  readonly computerResult: string;
  /** Fields of an answer to a function call besides its id and text. */
  readonly answered: (toolName: string) => Native;
  /** Field that holds the output of a program. */
  readonly programOutput: 'result' | 'output';
  /** An assistant text as a part. */
  readonly said: TextPart;
}

/** A text for the model as a part; the same in both formats. */
export const inputTextPart: TextPart = (text) => ({ type: 'input_text', text });

/** A result is a separate item anywhere after its call; reasoning must keep the item that follows it. */
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
