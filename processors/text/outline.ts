// The shape of a text: Markdown headings, or the lines that declare something in code, each with its line number.

import {
  type OutlineLine,
  type ProcessContext,
  type Source,
  safeCut,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { newlineOf } from './lines.ts';

const MAX_OUTLINE_LINE = 200;
/** No declaration has as many characters. */
const LONG_LINE = 1000;
const HEADING = /^ {0,3}#{1,6}\s+\S/;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
const DECLARATION = new RegExp(
  [
    String.raw`^\s{0,12}(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|virtual|override|open|sealed|data|inline)\s+)*`,
    String.raw`(?:function|class|interface|enum|type|struct|trait|impl|union|def|fn|func|fun|module|mod|namespace|package|object|record|protocol|extension|macro_rules!|sub|procedure|CREATE\s+(?:TABLE|VIEW|FUNCTION|INDEX))\b`,
    String.raw`|^(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*(?::[^=]{0,80})?=\s*(?:async\s*)?(?:\(|[\w$]+\s*=>|function\b)`,
  ].join(''),
);

/** The lines that say what is where, each under its number. */
export async function* textOutline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const text = await context.text(source);
  const newline = await newlineOf(text);
  const terminator = String.fromCharCode(newline);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let number = 0;
  let fenced = false;
  const look = (line: string): OutlineLine[] => {
    number += 1;
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced && (HEADING.test(line) || (line.length < LONG_LINE && DECLARATION.test(line)))) {
      const end = safeCut(line, MAX_OUTLINE_LINE);
      return [{ text: `${number}: ${line.slice(0, end).trimEnd()}${end < line.length ? '…' : ''}` }];
    }
    return [];
  };
  let rest = '';
  for await (const chunk of text.chunks()) {
    throwIfAborted(context.signal);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(terminator);
    // A line of megabytes declares nothing: all that is kept of it is that it is long.
    rest = (lines.pop() ?? '').slice(0, LONG_LINE);
    for (const line of lines) yield* look(line);
  }
  if (rest !== '') yield* look(rest);
}
