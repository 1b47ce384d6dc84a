// The manifest code shared by document formats. Cheap to import: the document reader and the converters load on first
// use, and a converter is not loaded at all if the cache has the sections.

import { type LazyCode, lazily, type Processor, type Selection } from '../../src/contract/index.ts';
import type { Converter, SectionUnit } from './document.ts';
import type { DocumentConversion } from './kept-document.ts';

/** One document format. */
export interface DocumentFormat {
  /** Changes whenever the same bytes would produce other blocks; a function if the request affects the conversion. */
  readonly version: string | ((selection: Selection) => string);
  /** Undefined for a flowing document, which has one section. */
  readonly unit?: SectionUnit;
  load(selection: Selection): Promise<Converter>;
}

/** The manifest entries for reading a format's documents. */
export function documentCode(
  format: DocumentFormat,
): LazyCode &
  Required<Pick<Processor, 'selects' | 'formats'>> & { readonly introduces: true; readonly keeps: true } {
  const code = lazily(async () => {
    const { readDocument, outlineDocument } = await import('./document-reading.ts');
    return {
      process: (source, context) =>
        readDocument(conversionOf(format, context.selection), format.unit, source, context),
      outline: (source, context) =>
        outlineDocument(conversionOf(format, context.selection), format.unit, source, context),
    };
  });
  return {
    ...code,
    selects: [
      'lines',
      ...(format.unit ? (['pages'] as const) : []),
      ...(['section', 'table', 'comment', 'rows', 'columns'] as const),
      ...(typeof format.version === 'string' ? [] : (['changes'] as const)),
    ],
    formats: ['markdown', 'csv', 'json'],
    introduces: true,
    keeps: true,
    prepare: async () => {
      await Promise.all([
        code.prepare(),
        format.load({ boxes: false, numbered: false, all: false, outline: false, brief: false }),
      ]);
    },
  };
}

/** Changes when the blocks of all formats take another form. */
const BLOCKS = 'blocks-2';

function conversionOf({ version, load }: DocumentFormat, selection: Selection): DocumentConversion {
  return {
    version: `${typeof version === 'string' ? version : version(selection)}-${BLOCKS}`,
    load: () => load(selection),
  };
}
