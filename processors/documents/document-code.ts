// What a manifest of a document format spreads in. Cheap to import: neither the reading of documents nor a converter is
// loaded before it is used, and a converter not at all for what was kept of an earlier read.

import type { Processor, ProcessorCode, Selection } from '../../src/contract/index.ts';
import type { Converter, SectionUnit } from './document.ts';
import type { DocumentConversion } from './kept-document.ts';

/** One document format. */
export interface DocumentFormat {
  /** Changes whenever the same bytes would give other blocks; names what of the request changes the conversion. */
  readonly version: string | ((selection: Selection) => string);
  /** Undefined for a document that flows: it has one section. */
  readonly unit?: SectionUnit;
  load(selection: Selection): Promise<Converter>;
}

/** The reading of a format's documents. */
export function documentCode(
  format: DocumentFormat,
): Required<ProcessorCode> & Required<Pick<Processor, 'prepare'>> & { readonly keeps: true } {
  return {
    keeps: true,
    prepare: async () => {
      await Promise.all([
        import('./document-reading.ts'),
        format.load({ numbered: false, all: false, outline: false }),
      ]);
    },
    async *process(source, context) {
      const { readDocument } = await import('./document-reading.ts');
      yield* readDocument(conversionOf(format, context.selection), format.unit, source, context);
    },
    async *outline(source, context) {
      const { outlineDocument } = await import('./document-reading.ts');
      yield* outlineDocument(conversionOf(format, context.selection), format.unit, source, context);
    },
  };
}

function conversionOf({ version, load }: DocumentFormat, selection: Selection): DocumentConversion {
  return {
    version: typeof version === 'string' ? version : version(selection),
    load: () => load(selection),
  };
}
