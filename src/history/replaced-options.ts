// Options that others have replaced, and the words that lead from one to the other.

import { quoted, ReaderError } from '../contract/index.ts';

const TO = 'Give `threshold: { at, to }`: fractions of the window, or tokens of the history.';
const TOOLS = "Give `tools: { name: role }`: `'keep'`, `'read'` or `{ writes: ['content'] }`.";
const CALL = 'Give it with the call, as in `compact(messages, options, { force: true })`.';
const TIMEOUT = 'Give `timeoutMs`, which holds for the storage and the model.';

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['target', TO],
  ['limits', TO],
  ['keepTools', TOOLS],
  ['readTools', TOOLS],
  ['writeTools', TOOLS],
  ['codec', 'Give the codec as `format`.'],
  ['profile', 'Give `model`, by which tokens are estimated.'],
  ['reserve', 'Give `policy: { reserve }`.'],
  ['storageTimeoutMs', TIMEOUT],
  ['summarizerTimeoutMs', TIMEOUT],
  ['system', CALL],
  ['force', CALL],
  ['signal', CALL],
]);

/** @throws {ReaderError} BAD_INPUT for an option of `what` that another one has replaced */
export function refuseReplaced(what: string, options: object): void {
  if (typeof options !== 'object' || options === null) return;
  for (const name of Object.keys(options)) {
    const hint = INSTEAD.get(name);
    if (hint !== undefined)
      throw new ReaderError('BAD_INPUT', `\`${what}\` has no option ${quoted(name)}.`, hint);
  }
}
