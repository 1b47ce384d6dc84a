// The files of an archive, by name and in order, for any container that lists members and reads one of them.

import {
  type Entry,
  type EntryContext,
  type Processor,
  type Source,
  visibleName,
} from '../../src/contract/index.ts';
import { findMember } from './find-member.ts';
import type { Member } from './member.ts';
import { linkRefused, warnOfTwins } from './refusal.ts';

/** One kind of container. */
export interface Container<One extends Member> {
  /** In order. @throws {ReaderError} */
  members(source: Source, context: EntryContext): Promise<readonly One[]>;
  /**
   * The content of a file of `source`.
   * @throws {ReaderError} ENCRYPTED_FILE, WRONG_PASSWORD, UNSUPPORTED_FORMAT, LIMIT_EXCEEDED, CORRUPT_FILE
   */
  open(source: Source, member: One, context: EntryContext): Promise<Entry>;
}

/** What a processor for archives gives of their files. */
export type ArchiveFiles = Required<Pick<Processor, 'entry' | 'files'>>;

export function archiveFiles<One extends Member>({ members, open }: Container<One>): ArchiveFiles {
  return {
    async entry(source, path, context) {
      // A listing says what is wrong with the others.
      const all = await members(source, { ...context, warn: () => undefined });
      const found = findMember(all, path, source, context.signal);
      if ('folder' in found) return found;
      const { member, same } = found;
      if (member.kind !== 'file') throw linkRefused(member);
      warnOfTwins(member, same, context);
      return await open(source, member, context);
    },
    async *files(source, context) {
      const last = new Map<string, One>();
      const all = await members(source, context);
      for (const member of all) if (member.kind === 'file') last.set(visibleName(member.path), member);
      // Of files with the same name, only the last can be read.
      for (const [path, member] of last) yield { path, open: () => open(source, member, context) };
    },
  };
}
