// The list of the files that comes first in a message: name, place, size, what was given of each and how to see the rest.

import { type Bytes, oneLine, plural, safeCut, type Tokens } from '../contract/index.ts';
import type { AttachedFile } from './part.ts';

const NOTE_CHARACTERS = 400;

/**
 * Every file on a line, in the fullest form for which `tokens` are enough: all with their notes first, then with the calls
 * that show the rest. The names are listed in any case.
 */
export function writeListing(
  files: readonly AttachedFile[],
  tokens: Tokens,
  count: (text: string) => Tokens,
): string {
  if (files.length === 0) return 'No files are attached.\n';
  const head = headOf(files.length);
  const lines = files.map((file, index) => forms(file, index + 1));
  const written = lines.map(([short]) => short);
  // Line by line, which is never less than what the joined text costs.
  let left = tokens - count(head) - written.reduce((sum, line) => sum + count(line), 0);
  for (const form of [1, 2] as const)
    for (const [index, line] of lines.entries()) {
      const fuller = line[form];
      const now = written[index] ?? '';
      if (fuller === now) continue;
      const more = count(fuller) - count(now);
      if (more > left) continue;
      written[index] = fuller;
      left -= more;
    }
  return head + written.join('');
}

/** What the list takes at least. */
export function leastListing(names: readonly string[], count: (text: string) => Tokens): Tokens {
  const longest = names.map((name, index) => count(`${index + 1}. ${name}: ${SHORT.image}\n`));
  return longest.reduce((sum, tokens) => sum + tokens, count(headOf(names.length)));
}

const headOf = (files: number): string => `${files === 1 ? '1 file is' : `${files} files are`} attached.\n`;

/** Shortest first. */
function forms(file: AttachedFile, number: number): readonly [string, string, string] {
  const { name, path, bytes, given, note, call } = file;
  const place = path === undefined ? '' : ` (${oneLine(path)})`;
  const size = bytes === undefined ? '' : `, ${sizeInWords(bytes)}`;
  const flat = oneLine(note);
  const told = flat.length > NOTE_CHARACTERS ? `${flat.slice(0, safeCut(flat, NOTE_CHARACTERS))}…` : flat;
  const full = `${number}. ${name}${place}${size}: ${told}`;
  const more = given === 'reference' ? 'To read it' : 'To see more of it';
  return [
    `${number}. ${name}: ${SHORT[given]}\n`,
    `${full}\n`,
    call === undefined ? `${full}\n` : `${full} ${more}: ${call}\n`,
  ];
}

const SHORT: Readonly<Record<AttachedFile['given'], string>> = {
  native: 'given',
  image: 'given as a picture',
  text: 'given as text',
  sample: 'given in part',
  reference: 'not given',
  nothing: 'not given',
};

const sizeInWords = (bytes: Bytes): string => plural(bytes, 'byte');
