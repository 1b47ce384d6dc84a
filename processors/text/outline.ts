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
/** Characters at the start of a line that tell what it is; the rest of a line of megabytes is not kept. */
const START = 1000;
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
  const look = (whole: string): OutlineLine[] => {
    number += 1;
    const line = whole.slice(0, START);
    if (FENCE.test(line)) fenced = !fenced;
    else if (!fenced && (HEADING.test(line) || DECLARATION.test(line))) {
      const end = safeCut(line, MAX_OUTLINE_LINE);
      return [{ text: `${number}: ${line.slice(0, end).trimEnd()}${end < line.length ? '…' : ''}` }];
    }
    return [];
  };
  let rest = '';
  for await (const chunk of text.chunks()) {
    throwIfAborted(context.signal);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(terminator);
    rest = (lines.pop() ?? '').slice(0, START);
    for (const line of lines) yield* look(line);
  }
  if (rest !== '') yield* look(rest);
}
