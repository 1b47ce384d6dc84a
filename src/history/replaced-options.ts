// Options that were renamed or replaced, with a hint to the new option.

import { quoted, ReaderError } from '../contract/index.ts';

const TO = 'Use `threshold: { at, to }`: fractions of the window, or tokens of the history.';
const TOOLS = "Use `tools: { name: role }`: `'keep'`, `'read'` or `{ writes: ['content'] }`.";
const CALL = 'Pass it with the call, as in `compact(messages, options, { force: true })`.';
const TIMEOUT = 'Use `timeoutMs`, which applies to the storage and the model.';

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['target', TO],
  ['limits', TO],
  ['keepTools', TOOLS],
  ['readTools', TOOLS],
  ['writeTools', TOOLS],
  ['codec', 'Pass the codec as `format`.'],
  ['profile', 'Use `model`, which determines how tokens are estimated.'],
  ['reserve', 'Use `policy: { reserve }`.'],
  ['storageTimeoutMs', TIMEOUT],
  ['summarizerTimeoutMs', TIMEOUT],
  ['system', CALL],
  ['force', CALL],
  ['signal', CALL],
]);

/** @throws {ReaderError} BAD_INPUT for an option of `what` that was replaced */
export function refuseReplaced(what: string, options: object): void {
  if (typeof options !== 'object' || options === null) return;
  for (const name of Object.keys(options)) {
    const hint = INSTEAD.get(name);
    if (hint !== undefined)
      throw new ReaderError('BAD_INPUT', `\`${what}\` has no option ${quoted(name)}.`, hint);
  }
}
