// Source code by lines, with the names of the definitions around the end of a page.

import type { ProcessContext, Source, TextPart } from '../../src/contract/index.ts';
import { linePages } from './lines.ts';

/** The page the selection requests. */
export async function* codePages(source: Source, context: ProcessContext): AsyncGenerator<TextPart> {
  for await (const part of linePages(source, context)) yield await placed(part, source, context);
}

async function placed(part: TextPart, source: Source, context: ProcessContext): Promise<TextPart> {
  const { next, shown } = part;
  const last = shown[0]?.to;
  if (!next?.request || last === undefined || context.selection.symbol !== undefined) return part;
  const { surroundingsOf } = await import('./symbol-lines.ts');
  const text = await context.text(source);
  const surroundings = await surroundingsOf(text, source.extension, last + 1, context.signal);
  return surroundings ? { ...part, next: { ...next, surroundings } } : part;
}
