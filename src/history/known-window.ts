// Checks that the context window of a call is known. One that is assumed is named: in the report, and once per process in
// a warning.

import { quoted, ReaderError } from '../contract/index.ts';
import type { CallOptions } from './call-options.ts';
import type { Resolved } from './options.ts';

let hasWarned = false;

/** @throws {ReaderError} BAD_INPUT if neither the options nor the call set a window or a model */
export function checkWindow(
  { window, isWindowKnown, model }: Pick<Resolved<never>, 'window' | 'isWindowKnown' | 'model'>,
  call: Pick<CallOptions, 'window'> = {},
): void {
  if (isWindowKnown || call.window !== undefined) return;
  if (model === '')
    throw new ReaderError(
      'BAD_INPUT',
      'Unknown context window: neither `window` nor `model` was given.',
      'Set `window` to the context window in tokens, such as `window: 200_000`, or `model` to the name of the model.',
    );
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(
    `The context window of the model ${quoted(model)} is unknown; ${window} tokens are assumed.`,
    {
      code: 'LECTERN_WINDOW_ASSUMED',
      detail: 'Set `window` to the context window in tokens.',
    },
  );
}
