// Words that a command has no use for are told, not passed over.

import { quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';

/** @throws {ReaderError} BAD_INPUT for words after a command that takes none */
export function refuseWords(command: string, words: readonly string[]): void {
  if (words.length === 0) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`lectern ${command}\` does not take ${quoted(words.join(' '))}.`,
    `Write \`lectern ${command}\` alone.`,
  );
}
