// The list of files at the start of a message: name, path, size, how each was included, and how to see the rest.

import { type Bytes, oneLine, plural, safeCut, type Tokens } from '../contract/index.ts';
import type { AttachedFile } from './part.ts';

const NOTE_CHARACTERS = 400;

/**
 * Lists every file on its own line, in the fullest form that fits in `tokens`: first all with their notes, then also
 * with the calls that show the rest. Names are always listed.
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
  // Counted line by line, which is never less than the joined text costs.
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

/** A file's line in full. */
export function fullLine(file: AttachedFile, number: number): string {
  return forms(file, number)[2];
}

/** Tokens of the list without any lines. */
export function headTokens(files: number, count: (text: string) => Tokens): Tokens {
  return count(headOf(files));
}

/** Minimum tokens of a file's line. */
export function leastLine(name: string, number: number, count: (text: string) => Tokens): Tokens {
  return count(`${number}. ${name}: ${SHORT.image}\n`);
}

const headOf = (files: number): string => `${files === 1 ? '1 file is' : `${files} files are`} attached.\n`;

/** Shortest first. */
function forms(file: AttachedFile, number: number): readonly [string, string, string] {
  const { name, path, bytes, given, note, call, error, carried } = file;
  const place = path === undefined ? '' : ` (${oneLine(path)})`;
  const size = bytes === undefined ? '' : `, ${sizeInWords(bytes)}`;
  const flat = oneLine(note);
  const told = flat.length > NOTE_CHARACTERS ? `${flat.slice(0, safeCut(flat, NOTE_CHARACTERS))}…` : flat;
  const full = `${number}. ${name}${place}${size}: ${told}`;
  const more = given === 'reference' ? 'To read it' : 'To see more of it';
  // An empty file has no more content, a broken one nothing readable, and of some files the model cannot be shown more.
  const upload =
    path === undefined && error === undefined && carried !== false && bytes !== undefined && bytes > 0;
  const rest = call === undefined ? (upload ? UPLOADED[given] : undefined) : `${more}: ${call}`;
  return [
    `${number}. ${name}: ${SHORT[given]}\n`,
    `${full}\n`,
    rest === undefined ? `${full}\n` : `${full} ${rest}\n`,
  ];
}

const SHORT: Readonly<Record<AttachedFile['given'], string>> = {
  native: 'given',
  image: 'included as a picture',
  text: 'included as text',
  sample: 'partly included',
  reference: 'not included',
  nothing: 'not included',
};

/** For files outside a workspace, where no call can show the rest. */
const UPLOADED: Readonly<Partial<Record<AttachedFile['given'], string>>> = {
  sample: 'No tool can read the rest; attach it as a workspace file to read the rest.',
  nothing: 'No tool can read it; attach it as a workspace file to read it.',
};

const sizeInWords = (bytes: Bytes): string => plural(bytes, 'byte');
