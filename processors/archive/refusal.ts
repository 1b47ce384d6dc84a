// Warnings and refusals of reading an entry, the same for every kind of archive.

import { type Bytes, type EntryContext, quoted, ReaderError, visibleName } from '../../src/contract/index.ts';
import { type Member, namePerils } from './member.ts';

/** Of a member that is no file: nothing in an archive is followed. */
export function linkRefused({ kind, path, target = '' }: Member): ReaderError {
  const to = target === '' ? '' : ` to ${quoted(visibleName(target))}`;
  return new ReaderError(
    'NOT_A_FILE',
    `The entry ${quoted(visibleName(path))} is a ${kind}${to}; expected a file.`,
    target === ''
      ? 'Read one of the files of the archive.'
      : 'Links are not followed: read the entry it names.',
  );
}

/** Of a file inside another, which is held in memory. */
export function tooLarge(name: string, maxBytesInMemory: Bytes): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `${quoted(name)} has more than ${maxBytesInMemory} bytes, the most held of a file inside another (limit \`maxBytesInMemory\`).`,
    'Raise the limit `maxBytesInMemory`, or unpack it and read the result.',
  );
}

/** Warns where an entry's name is not what it seems: `same` is how many entries bear it. */
export function warnOfTwins(member: Member, same: number, { warn }: EntryContext): void {
  const name = quoted(visibleName(member.path));
  if (same > 1)
    warn({
      code: 'UNSAFE_NAMES',
      message: `${same} entries are named ${name}; the last of them is shown.`,
    });
  const perils = namePerils(member.path);
  if (perils.length > 0)
    warn({ code: 'UNSAFE_NAMES', message: `The name ${name} is not safe to unpack: ${perils.join(', ')}.` });
}
