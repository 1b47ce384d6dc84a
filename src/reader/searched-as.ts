// How files of a format are shown, and which processor reads them for a search.

import { type FileType, type Processor, ReaderError } from '../contract/index.ts';
import type { Engine } from './engine.ts';

/**
 * The processor that reads a file for a search: text is searched as it is, unless an answer never shows it so.
 * @throws {ReaderError} UNSUPPORTED_FORMAT for a file without text
 */
export function searchedAs(processor: Processor, engine: Pick<Engine, 'registry' | 'ocr'>): Processor {
  const shown = shownAs(processor, engine);
  if (shown === 'without text')
    throw new ReaderError('UNSUPPORTED_FORMAT', 'The file has no text.', 'Read it to see what it is.');
  return (shown === 'text' && engine.registry.byProcessorName('text')) || processor;
}

/** How answers show files that `processor` reads. */
export function shownAs(
  { textual, converts, keeps, fileType }: Processor,
  { ocr }: Pick<Engine, 'ocr'>,
): 'text' | 'converted' | 'without text' {
  if (textual) return converts || keeps ? 'converted' : 'text';
  return !ocr && WITHOUT_TEXT.has(fileType) ? 'without text' : 'converted';
}

const WITHOUT_TEXT: ReadonlySet<FileType> = new Set(['image', 'audio', 'video']);
