// The notes about whole files that one conversation has been given, so that an answer about another part of a file does
// not repeat them. Best effort: what was said long ago, perhaps in another conversation, is said again.

import {
  BoundedMap,
  OWN,
  oneLine,
  type Processor,
  type Warning,
  type WarningCode,
} from '../contract/index.ts';

const MAX_NOTES = 10_000;
const MAX_AGE_MS = 15 * 60_000;

/** Warnings that hold for a file, whichever part of it is shown. */
const OF_FILE: ReadonlySet<WarningCode> = new Set([
  'DIALECT_GUESSED',
  'DUPLICATE_KEYS',
  'ENCODING_GUESSED',
  'FORMAT_MISMATCH',
  'HEADER_GUESSED',
  'HIDDEN_CONTENT',
  'INVISIBLE_CHARACTERS',
  'RAGGED_ROWS',
  'UNBALANCED_QUOTES',
]);
/** The same of a document without pages, which is converted as a whole. */
const OF_DOCUMENT: ReadonlySet<WarningCode> = new Set(['HIDDEN_TEXT', 'SKIPPED_CONTENT']);

/** Notes by the file they are about; `file` changes with its content. */
export class SaidNotes {
  /** When each was said. */
  readonly #said = new BoundedMap<string, number>({ most: MAX_NOTES });

  /** `warnings` without those said of the file before. */
  unsaid(file: string, { keeps, selects }: Processor, warnings: readonly Warning[]): readonly Warning[] {
    const isOfFile = ({ code }: Warning): boolean =>
      OF_FILE.has(code) || (OF_DOCUMENT.has(code) && keeps === true && !selects.includes('pages'));
    const oldest = Date.now() - MAX_AGE_MS;
    const isSaid = (warning: Warning): boolean => (this.#said.get(keyOf(file, warning)) ?? 0) > oldest;
    return warnings.filter((warning) => !isOfFile(warning) || !isSaid(warning));
  }

  /** Remembers those of `warnings` that `text` gives. */
  add(file: string, warnings: readonly Warning[], text: string): void {
    for (const warning of warnings)
      if (text.includes(`${OWN.note}${oneLine(warning.message)}]`))
        this.#said.set(keyOf(file, warning), Date.now());
  }
}

/** Counts of characters differ from one part of a file to the next. */
const keyOf = (file: string, { code, message }: Warning): string =>
  `${file}\0${code === 'INVISIBLE_CHARACTERS' ? message.replace(/\b\d+ /g, '') : message}`;
