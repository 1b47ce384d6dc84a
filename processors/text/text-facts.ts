// Facts about plain text shown above its lines: the times of the first and last lines, how it ends, and which lines
// report errors.

import type { OutlineLine, ProcessContext, Source, TextSource } from '../../src/contract/index.ts';
import { indexLines, locate } from '../../src/scan/index.ts';
import { shortened } from './shortened.ts';
import { lineStarts, MAX_SCANNED, newlineOf } from './text-lines.ts';

/** Maximum error lines listed individually. */
const MAX_ERRORS = 8;
const READ_BYTES = 16 * 1024;

/** ISO 8601, RFC 3164 (syslog), the common log format, and a time of day. */
const TIME =
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\b\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?/;
/** Severities as written by loggers, and words of fatal errors. */
const ERROR =
  /\b(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG|PANIC|Traceback|\w*Exception)\b|\bpanic:|"level": ?"(?:error|fatal)"/;

/** Facts shown above a view of the lines: plain text has no headings. */
export async function* textFacts(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  if (!context.selection.brief) return;
  const text = await context.text(source);
  const index = await indexLines(text, { newline: await newlineOf(text), signal: context.signal });
  const first = (await linesAt(text, 0)).find((line) => line.trim() !== '');
  const at = await locate(text, index, index.count, context.signal);
  const last = (await linesAt(text, at))[0];
  const [from] = TIME.exec(first ?? '') ?? [];
  const [to] = TIME.exec(last ?? '') ?? [];
  if (from !== undefined && to !== undefined) yield { level: 0, text: `From ${from} to ${to}` };
  // The view of a one-line file already starts with that line.
  if (index.count > 1 && last !== undefined && last.trim() !== '')
    yield { level: 0, text: `Last line, ${index.count}: ${shortened(last)}` };
  if (text.size <= MAX_SCANNED) yield* errorsOf(text, index.count, context);
}

async function* errorsOf(
  text: TextSource,
  count: number,
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const found: string[] = [];
  let errors = 0;
  let number = 0;
  for await (const lines of lineStarts(text, context))
    for (const line of lines) {
      number += 1;
      if (!ERROR.test(line)) continue;
      errors += 1;
      if (errors <= MAX_ERRORS) found.push(`${number}: ${shortened(line)}`);
    }
  // If many lines contain such a word, it is not significant.
  if (errors * 10 > count) return;
  if (errors > MAX_ERRORS) yield { level: 0, text: `${errors} lines report errors, the first:` };
  for (const line of found) yield { level: 0, text: line };
}

async function linesAt(text: TextSource, offset: number): Promise<string[]> {
  const bytes = await text.read(offset, READ_BYTES);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split(/\r\n|\n|\r/);
}
