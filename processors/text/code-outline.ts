// The outline of source code: its declarations with their lines, and above a view also its description and imports.
// Uses the language's grammar, or without one the keywords that start declarations.

import type { OutlineLine, ProcessContext, Source, TextSource } from '../../src/contract/index.ts';
import { FileHead } from './code-head.ts';
import { LineDeclarations } from './line-declarations.ts';
import { shortened } from './shortened.ts';
import { pathOf } from './symbol-names.ts';
import type { CodeSymbol } from './symbols/symbols.ts';
import { lineStarts, MAX_SCANNED } from './text-lines.ts';

/** Declarations with their lines, members nested below their owner. */
export async function* codeOutline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const text = await context.text(source);
  const { brief } = context.selection;
  if (brief && text.size > MAX_SCANNED) return;
  const head = new FileHead();
  const found: OutlineLine[] = [];
  const symbols = await parsed(text, source.extension, context);
  if (brief || !symbols) {
    const declared = new LineDeclarations(source.extension, source.name);
    let number = 0;
    for await (const lines of lineStarts(text, context))
      for (const line of lines) {
        number += 1;
        head.add(line);
        const entry = declared.add(line, number);
        if (entry) head.endComments();
        if (!entry || symbols) continue;
        if (brief) found.push(entry);
        else yield { text: entry.text };
      }
  }
  if (brief && head.summary !== undefined) yield { level: 0, text: head.summary };
  if (brief && head.imports.length > 0) yield { level: 0, text: `Imports: ${head.imports.join(', ')}` };
  yield* symbols?.map(toldOf) ?? found;
}

async function parsed(
  text: TextSource,
  extension: string,
  { signal }: ProcessContext,
): Promise<readonly CodeSymbol[] | undefined> {
  const symbols = await (await import('./symbols/symbols.ts')).symbolsIn(text, extension, signal);
  return symbols?.length === 0 ? undefined : symbols;
}

/** The module object; its members are listed on their own. */
const MODULE = /^(?:module\.)?exports$|^(?:this|module)$/;

/** Bonus for exported declarations, in lines. */
const EXPORT_LINES = 30;

function toldOf(symbol: CodeSymbol): OutlineLine {
  const { level, from, to, name, owner, kind, signature, exported } = symbol;
  const known = owner === undefined || MODULE.test(owner) ? name : pathOf({ name, owner });
  const lines = from === to ? `${from}` : `${from}-${to}`;
  const text = signature.includes(name) ? signature : `${kind} ${name}`;
  return {
    level,
    text: `${'  '.repeat(level - 1)}${lines}: ${shortened(text)}`,
    short: `${from} ${known}`,
    around: [`${from} ${known} {`, '}'],
    weight: to - from + 1 + (exported ? EXPORT_LINES : 0),
    names: { title: known, from, to, isHeading: false },
    ...(level > 1 && { nested: true as const }),
  };
}
