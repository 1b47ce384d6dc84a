// Options of a single `compact` call.

import { checkOptions, type OptionNames, type Tokens } from '../contract/index.ts';
import { checkKinds, has, isBoolean, isText, type Kind, WINDOW } from './option-kinds.ts';

/** Options of a single `compact` call. */
export interface CallOptions {
  /** System prompt passed outside the messages. */
  readonly system?: string;
  /** Tool definitions, in any format. */
  readonly tools?: unknown;
  /** Context window for this call, if it differs from the compactor's. */
  readonly window?: Tokens;
  /** Compact now, even below the trigger, for example after the provider rejected the prompt as too long. */
  readonly force?: boolean;
  /** Fill `report.reasons`. */
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
