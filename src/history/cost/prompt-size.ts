// The size of a prompt: messages plus the system prompt and tools passed outside them; estimated, then scaled by the
// provider's counts.

import { type CallOptions, systemText } from '../call-options.ts';
import type { Shown } from '../ledger/ledger.ts';
import { rawOf } from '../ledger/read-messages.ts';
import type { Size } from '../report.ts';
import type { Calibration } from './calibration.ts';
import type { Estimator } from './estimate.ts';

/** `raw`: as estimated; `tokens`: scaled. */
export interface PromptSize extends Size {
  readonly raw: number;
}

/** Raw tokens of what is passed outside the messages. */
export function overheadOf({ system, tools }: CallOptions, estimator: Estimator): number {
  const prompt = estimator.text(systemText(system));
  return prompt + (tools === undefined ? 0 : estimator.tools(tools));
}

/** Raw tokens of the instructions among the messages. */
export function instructionsOf<M>(list: readonly Shown<M>[], estimator: Estimator): number {
  let raw = 0;
  for (const shown of list) if (shown.view.role === 'system') raw += rawOf(shown, estimator);
  return raw;
}

/** Size of a list plus `overhead`. */
export function sizeOf<M>(
  list: readonly Shown<M>[],
  overhead: number,
  estimator: Estimator,
  calibration: Calibration,
): PromptSize {
  let raw = overhead;
  for (const shown of list) raw += rawOf(shown, estimator);
  return { messages: list.length, tokens: calibration.tokens(raw), raw };
}
