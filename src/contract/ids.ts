// Which ids may name a user or a session: they become folder names, so that one rule holds wherever they come from.

import { ReaderError } from './error.ts';
import { quoted } from './name.ts';

/** ASCII letters and digits, then also `.`, `_`, `-`: no id starts with the `_` of folders that are nobody's. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Device names of Windows, with whatever ending ("Naming Files, Paths, and Namespaces", Microsoft). */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;

/**
 * `value`, when it may name a user or a session: 1 to 128 of `A-Z a-z 0-9 . _ -`, a letter or digit first, no dot last,
 * no device of Windows. Nothing is decoded, trimmed or folded.
 * @throws {ReaderError} BAD_INPUT
 */
export function checkId(kind: 'user' | 'session', value: unknown): string {
  if (typeof value === 'string' && ID.test(value) && !value.endsWith('.') && !DEVICE.test(value))
    return value;
  throw new ReaderError(
    'BAD_INPUT',
    `The ${kind} id is ${typeof value === 'string' ? quoted(value) : `a value of type \`${typeof value}\``}; expected 1 to 128 letters, digits, \`.\`, \`_\` or \`-\`, a letter or digit first and no dot last, and no name of a device.`,
    `Pass a plain ${kind} id, such as \`${kind}-1\`.`,
  );
}
