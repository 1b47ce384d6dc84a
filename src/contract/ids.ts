// The one rule for user and session ids, which become folder names.

import { ReaderError } from './error.ts';
import { quoted } from './name.ts';

/** ASCII letters and digits, then also `.`, `_`, `-`. No id starts with `_`, which is reserved for shared folders. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Device names of Windows, with any extension ("Naming Files, Paths, and Namespaces", Microsoft). */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;

/**
 * `value`, if it is a valid user or session id: 1 to 128 of `A-Z a-z 0-9 . _ -`, starting with a letter or digit, not
 * ending with a dot, and not a Windows device name. Nothing is decoded, trimmed or folded.
 * @throws {ReaderError} BAD_INPUT
 */
export function checkId(kind: 'user' | 'session', value: unknown): string {
  if (typeof value === 'string' && ID.test(value) && !value.endsWith('.') && !DEVICE.test(value))
    return value;
  throw new ReaderError(
    'BAD_INPUT',
    `The ${kind} id is ${typeof value === 'string' ? quoted(value) : `a value of type \`${typeof value}\``}; expected 1 to 128 letters, digits, \`.\`, \`_\` or \`-\`, starting with a letter or digit, not ending with a dot, and not a device name.`,
    `Pass a plain ${kind} id, such as \`${kind}-1\`.`,
  );
}
