// What one call of a compactor is given besides the messages.

import { checkOptions, type OptionNames, type Tokens } from '../contract/index.ts';
import { checkKinds, has, isBoolean, isText, type Kind, WINDOW } from './option-kinds.ts';

/** What one call knows besides the messages. */
export interface CallOptions {
  /** System prompt given beside the messages. */
  readonly system?: string;
  /** Tool definitions, in any form. */
  readonly tools?: unknown;
  /** Window of this call's model, where it differs. */
  readonly window?: Tokens;
  /** Compact now, even below the trigger, down to the target: a provider has refused the prompt, or the caller wants room. */
  readonly force?: boolean;
  /** Gives `report.reasons`. */
  readonly explain?: boolean;
  readonly signal?: AbortSignal;
}

const CALL_NAMES: OptionNames<CallOptions> = {
  system: true,
  tools: true,
  window: true,
  force: true,
  explain: true,
  signal: true,
};

const CALL_KINDS: readonly Kind[] = [
  ['system', isText, 'a text'],
  WINDOW,
  ['force', isBoolean, 'true or false'],
  ['explain', isBoolean, 'true or false'],
  ['signal', (value) => has(value, 'addEventListener', 'removeEventListener'), 'an `AbortSignal`'],
];

/** @throws {ReaderError} BAD_INPUT for an unknown call option or an invalid value */
export function checkCall(what: string, options: CallOptions): void {
  checkOptions(what, options, CALL_NAMES);
  checkKinds(what, { ...options }, CALL_KINDS);
}
