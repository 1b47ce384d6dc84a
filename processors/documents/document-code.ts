// What a manifest of a document format spreads in. Cheap to import: neither the reading of documents nor a converter is
// loaded before it is used, and a converter not at all for what was kept of an earlier read.

import { type LazyCode, lazily, type Selection } from '../../src/contract/index.ts';
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
): LazyCode & { readonly introduces: true; readonly keeps: true } {
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

function conversionOf({ version, load }: DocumentFormat, selection: Selection): DocumentConversion {
  return {
    version: typeof version === 'string' ? version : version(selection),
    load: () => load(selection),
  };
}
