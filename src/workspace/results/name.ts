// Chooses the path of a result: in `results/` unless the caller names a folder, with the extension of its format,
// numbered if the name is taken. The workspace checks whether the path may be opened.

import { quoted, ReaderError, safeCut } from '../../contract/index.ts';
import type { ResultFormat } from './result.ts';

/** Default folder for results. */
export const RESULTS_FOLDER = 'results';

const DEFAULT_NAME = 'result';

/**
 * Maximum UTF-8 bytes of a sanitised name: with a number and an extension it stays far below the 255 of file systems.
 */
const MOST_NAME_BYTES = 120;

/** Extensions by format. The first one is used for new files. */
const ENDINGS: Readonly<Record<ResultFormat, readonly string[]>> = {
  csv: ['.csv'],
  jsonl: ['.jsonl', '.ndjson'],
  json: ['.json'],
  xlsx: ['.xlsx'],
  text: ['.txt'],
};

const FORMATS: readonly ResultFormat[] = ['csv', 'jsonl', 'json', 'xlsx', 'text'];

/** Checks `given` as a format. @throws {ReaderError} BAD_INPUT */
export function checkFormat(given: unknown): ResultFormat | undefined {
  if (given === undefined) return undefined;
  const format = FORMATS.find((one) => one === given);
  if (format !== undefined) return format;
  throw new ReaderError(
    'BAD_INPUT',
    `\`format\` is ${quoted(String(given))}; expected one of ${FORMATS.map((one) => `\`${one}\``).join(', ')}.`,
    'Use one of these formats, or omit `format`.',
  );
}

/** Checks `name`. @throws {ReaderError} BAD_INPUT */
export function checkName(name: unknown): string | undefined {
  if (name === undefined || typeof name === 'string') return name;
  throw new ReaderError(
    'BAD_INPUT',
    `\`name\` is a value of type \`${typeof name}\`; expected text.`,
    'Pass a file name, or omit `name`.',
  );
}

/** The format for an extension; undefined for `.txt` and any other. */
export function formatOfName(name: string): ResultFormat | undefined {
  const lower = name.toLowerCase();
  return FORMATS.find(
    (format) => format !== 'text' && ENDINGS[format].some((ending) => lower.endsWith(ending)),
  );
}

/** A path split where a number is inserted. */
export interface ResultPath {
  readonly stem: string;
  readonly ending: string;
}

/** A usual file extension: `.md` or `.tar`, but not the `.2` of `v1.2`. */
const ANY_ENDING = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/**
 * The path of a result. A name without a folder is sanitised; a path is left unchanged, since the workspace checks
 * paths.
 */
export function resultPath(name: string | undefined, format: ResultFormat, otherEnding?: string): ResultPath {
  const given = name ?? DEFAULT_NAME;
  const slash = given.lastIndexOf('/');
  const folder = slash < 0 ? `${RESULTS_FOLDER}/` : given.slice(0, slash + 1);
  const file = given.slice(slash + 1);
  const { stem, ending } = parted(file, format);
  const safe = slash < 0 || file === '' ? safeStem(stem) : stem;
  return { stem: folder + safe, ending: ending || (otherEnding ?? ENDINGS[format][0] ?? '') };
}

function parted(file: string, format: ResultFormat): ResultPath {
  const lower = file.toLowerCase();
  const known = ENDINGS[format].find((ending) => lower.endsWith(ending) && lower.length > ending.length);
  const ending = known ?? (format === 'text' ? (ANY_ENDING.exec(file)?.[0] ?? '') : '');
  if (ending.length === file.length) return { stem: file, ending: '' };
  return {
    stem: file.slice(0, file.length - ending.length),
    ending: file.slice(file.length - ending.length),
  };
}

/** Control characters, characters Windows forbids in names, direction marks, unpaired surrogates. */
const UNSAFE = /[\p{Cc}\p{Surrogate}\u2028\u2029<>:"|?*\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function safeStem(stem: string): string {
  const safe = stem.replace(UNSAFE, '-').trim();
  if (/^\.*$/.test(safe)) return DEFAULT_NAME;
  return cutToBytes(safe, MOST_NAME_BYTES);
}

function cutToBytes(text: string, most: number): string {
  let cut = text.slice(0, safeCut(text, most));
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, safeCut(cut, cut.length - 1));
  return cut;
}

/** The path with `number` added to its name: 1 is the name itself, then `-2`, `-3`. */
export function numbered({ stem, ending }: ResultPath, number: number): string {
  return number === 1 ? stem + ending : `${stem}-${number}${ending}`;
}
