// Warnings and errors of reading an entry, shared by all containers.

import { type Bytes, type EntryContext, quoted, ReaderError, visibleName } from '../../src/contract/index.ts';
import { type Member, namePerils } from './member.ts';

/** The entry is a link or device, not a file: nothing in an archive is followed. */
export function linkRefused({ kind, path, target = '' }: Member): ReaderError {
  const to = target === '' ? '' : ` to ${quoted(visibleName(target))}`;
  return new ReaderError(
    'NOT_A_FILE',
    `The entry ${quoted(visibleName(path))} is a ${kind}${to}; expected a file.`,
    target === '' ? 'Read a file of the archive.' : 'Links are not followed: read the target entry.',
  );
}

/** The inner file exceeds what may be held in memory. */
export function tooLarge(name: string, maxBytesInMemory: Bytes): ReaderError {
  return new ReaderError(
    'LIMIT_EXCEEDED',
    `${quoted(name)} has more than ${maxBytesInMemory} bytes, the maximum for a file inside another file (limit \`maxBytesInMemory\`).`,
    'Raise the limit `maxBytesInMemory`, or extract the file and read it.',
  );
}

/** Warns if the entry's name is unsafe or not unique. `same` is the number of entries with that name. */
export function warnOfTwins(member: Member, same: number, { warn }: EntryContext): void {
  const name = quoted(visibleName(member.path));
  if (same > 1)
    warn({
      code: 'UNSAFE_NAMES',
      message: `${same} entries are named ${name}; the last of them is shown.`,
    });
  const perils = namePerils(member.path);
  if (perils.length > 0)
    warn({ code: 'UNSAFE_NAMES', message: `The name ${name} is unsafe: ${perils.join(', ')}.` });
}
