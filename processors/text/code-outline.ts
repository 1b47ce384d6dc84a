// The shape of source code: what it declares, with lines, and above a view also what the file says of itself and what it
// imports. By its grammar, or where there is none by the words that begin declarations in the usual languages.

import type { OutlineLine, ProcessContext, Source, TextSource } from '../../src/contract/index.ts';
import { FileHead } from './code-head.ts';
import { shortened } from './shortened.ts';
import type { CodeSymbol } from './symbols/symbols.ts';
import { lineStarts, MAX_SCANNED } from './text-lines.ts';

const DECLARATION = new RegExp(
  [
    String.raw`^\s{0,12}(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|virtual|override|open|sealed|data|inline)\s+)*`,
    String.raw`(?:function|class|interface|enum|type|struct|trait|impl|union|def|fn|func|fun|module|mod|namespace|package|object|record|protocol|extension|macro_rules!|sub|procedure|CREATE\s+(?:TABLE|VIEW|FUNCTION|INDEX))\b`,
    String.raw`|^(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]{0,80})?=\s*(?:async\s*)?(?:\(|[\w$]+\s*=>|function\b)`,
  ].join(''),
);

/** Declarations with their lines, members below what they belong to. */
export async function* codeOutline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const text = await context.text(source);
  const { brief } = context.selection;
  if (brief && text.size > MAX_SCANNED) return;
  const head = new FileHead();
  const found: OutlineLine[] = [];
  const symbols = await parsed(text, source.extension, context);
  if (brief || !symbols) {
    const declared = new Declarations();
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

function toldOf({ level, from, to, name, kind, signature }: CodeSymbol): OutlineLine {
  const lines = from === to ? `${from}` : `${from}-${to}`;
  const text = signature.includes(name) ? signature : `${kind} ${name}`;
  return {
    level,
    text: `${'  '.repeat(level - 1)}${lines}: ${shortened(text)}`,
    short: `${from} ${name}`,
    around: [`${from} ${name} {`, '}'],
    ...(level > 1 && { nested: true as const }),
  };
}

/** Finds declarations line by line; deeper ones stand further in. */
class Declarations {
  readonly #indents: number[] = [];

  add(line: string, number: number): OutlineLine | undefined {
    if (!DECLARATION.test(line)) return undefined;
    const indent = line.length - line.trimStart().length;
    while ((this.#indents.at(-1) ?? -1) >= indent) this.#indents.pop();
    this.#indents.push(indent);
    return { level: this.#indents.length, text: `${number}: ${shortened(line)}` };
  }
}
