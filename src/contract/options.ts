// Validates option names, so that a misspelled option is reported, not ignored.

import { ReaderError } from './error.ts';
import { quoted } from './name.ts';
import { editDistance } from './text.ts';

/** Lists every option of `T`, so that a new one cannot be forgotten. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>;

/**
 * Checks that `given` is an object with no other fields than `known`; undefined means no options. `what` is the name
 * for messages, such as `createReader`. Values are checked where they are used.
 * @throws {ReaderError} BAD_INPUT, suggesting the nearest name
 */
export function checkOptions(what: string, given: unknown, known: Readonly<Record<string, unknown>>): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null)
    throw new ReaderError(
      'BAD_INPUT',
      `The options of \`${what}\` are ${given === null ? '`null`' : `a ${typeof given}`}; expected an object.`,
      'Pass an object, or leave it out.',
    );
  const names = Object.keys(known);
  const odd = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (odd === undefined) return;
  // Most short names are within two edits of each other.
  const most = odd.length < 6 ? 1 : 2;
  const near = names
    .map((name) => ({
      name,
      distance: editDistance(odd.slice(0, 64).toLowerCase(), name.toLowerCase(), most),
    }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)[0];
  throw new ReaderError(
    'BAD_INPUT',
    `\`${what}\` has no option ${quoted(odd)}.`,
    near
      ? `Did you mean \`${near.name}\`?`
      : `The options are ${names.map((name) => `\`${name}\``).join(', ')}.`,
  );
}
