// The engine that reads the text of scanned pages and pictures: a flag, or a variable of the environment.

import type { Environment } from '../contract/index.ts';
import type { Ocr } from '../ocr/index.ts';
import type { Option, Values } from './options.ts';

export const OCR_OPTIONS: readonly Option[] = [
  {
    name: 'ocr',
    value: 'ENGINE',
    help: 'read the text of scanned pages and pictures with tesseract, tesseract:eng+deu or paddle (else LECTERN_OCR)',
  },
];

/** @throws {ReaderError} BAD_INPUT for an unknown engine */
export async function ocrFrom(values: Values, environment: Environment): Promise<{ readonly ocr?: Ocr }> {
  const { ocr = environment['LECTERN_OCR'] } = values;
  if (typeof ocr !== 'string' || ocr === '') return {};
  return { ocr: (await import('../ocr/index.ts')).createOcr(ocr) };
}
