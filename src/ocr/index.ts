// Engines that read the text of scanned pages and pictures, to be passed to `createReader({ ocr })`.

import { type Ocr, quoted, ReaderError } from '../contract/index.ts';
import { readWithTesseract } from '../media/index.ts';
import { createPaddleOcr } from './paddle.ts';

export type { Ocr, OcrLine, SeenPicture } from '../contract/index.ts';
export { createPaddleOcr, type PaddleOptions } from './paddle.ts';

/** Options of `createTesseractOcr`. All are optional. */
export interface TesseractOptions {
  /** Installed language data, joined by `+`. Default `eng`. */
  readonly languages?: string;
}

/** As `tesseract -l` takes them. */
const LANGUAGES = /^[\w/.-]{1,40}(?:\+[\w/.-]{1,40}){0,9}$/;

/**
 * Reads text with the command `tesseract`, which the host must have installed with the data of the languages. One
 * process for each picture, with one thread.
 * @throws {ReaderError} BAD_INPUT for `languages` that cannot be names of languages
 */
export function createTesseractOcr({ languages = 'eng' }: TesseractOptions = {}): Ocr {
  // Not an option of the command, and no path above the data.
  if (!LANGUAGES.test(languages) || languages.startsWith('-') || languages.includes('..'))
    throw new ReaderError(
      'BAD_INPUT',
      `\`languages\` is ${quoted(languages)}; expected names such as \`eng\` or \`eng+deu\`.`,
      'Use names that `tesseract --list-langs` prints.',
    );
  return {
    name: `tesseract:${languages}`,
    recognize: (picture, { signal }) => readWithTesseract(picture, languages, signal),
  };
}

/**
 * The engine of a setting: `tesseract`, `tesseract:eng+deu` or `paddle`. @throws {ReaderError} BAD_INPUT
 */
export function createOcr(setting: string): Ocr {
  const [engine = '', languages] = setting.split(/:(.*)/s);
  if (engine === 'tesseract') return createTesseractOcr(languages === undefined ? {} : { languages });
  if (setting === 'paddle') return createPaddleOcr();
  throw new ReaderError(
    'BAD_INPUT',
    `The OCR engine is ${quoted(setting)}; expected \`tesseract\`, \`tesseract:LANGUAGES\` or \`paddle\`.`,
    'Use one of these, such as `tesseract:eng+deu`.',
  );
}
