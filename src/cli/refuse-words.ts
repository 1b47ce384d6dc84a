// Rejects unexpected arguments.

import { quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';

/** @throws {ReaderError} BAD_INPUT for arguments after a command that takes none */
export function refuseWords(command: string, words: readonly string[]): void {
  if (words.length === 0) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`lectern ${command}\` does not accept the argument ${quoted(words.join(' '))}.`,
    `Run \`lectern ${command}\` without arguments.`,
  );
}
