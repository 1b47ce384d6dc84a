// Text by lines: pages, totals, numbering, positions inside a line. Shared by plain text, code and Markdown, which
// differ in their manifests.

import {
  type Bytes,
  PositionReader,
  type ProcessContext,
  type Range,
  resolveRange,
  type Source,
  type TextPart,
  type TextSource,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { indexLines, type LineIndex, locate, type Newline } from '../../src/scan/index.ts';
import { type LinePosition, READ_BYTES, readPage } from './page.ts';
import { newlineOf } from './text-lines.ts';

/** The page the selection requests. */
export async function* linePages(source: Source, context: ProcessContext): AsyncGenerator<TextPart> {
  const { selection, signal } = context;
  const text = await context.text(source);
  const newline = await newlineOf(text);
  const isNamed = selection.symbol !== undefined || selection.section !== undefined;
  if (selection.all && !selection.lines && !isNamed) {
    yield* everything(text, { offset: 0, line: 1, character: 0 }, newline, context);
    return;
  }
  const index = await indexLines(text, { newline, signal });
  context.describe({ lines: index.count, lineEnding: await lineEnding(text, newline) });
  context.whole({ unit: 'line', of: index.count });
  if (index.count === 0) return;
  const within = await namedLines(text, source.extension, context);
  const { start, last } = await whereToStart(text, index, within ?? selection.lines, context);
  if (selection.all) {
    yield* everything(text, start, newline, context, await locate(text, index, last + 1, signal));
    return;
  }
  const page = await readPage(text, index, start, last, newline, context);
  if (page) yield page;
}

/** The lines of the requested definition or section. @throws {ReaderError} BAD_INPUT */
async function namedLines(
  text: TextSource,
  extension: string,
  context: ProcessContext,
): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const { symbol, section } = context.selection;
  if (symbol !== undefined)
    return (await import('./symbol-lines.ts')).symbolLines(text, extension, symbol, context);
  return section === undefined
    ? undefined
    : (await import('./section-lines.ts')).sectionLines(text, section, context);
}

async function whereToStart(
  text: TextSource,
  index: LineIndex,
  lines: Range | undefined,
  { selection, signal }: ProcessContext,
): Promise<{ readonly start: LinePosition; readonly last: number }> {
  if (selection.resume && selection.resume.length > 0) {
    const fields = new PositionReader(selection.resume, 'The cursor points past the end of the file.');
    const offset = fields.count(text.size);
    const line = fields.count(index.count, 1);
    const isNamed = selection.symbol !== undefined || selection.section !== undefined;
    const last = isNamed && lines && 'to' in lines ? lines.to : index.count;
    return { start: { offset, line, character: fields.count() }, last: Math.max(line, last) };
  }
  if (!lines) return { start: { offset: 0, line: 1, character: 0 }, last: index.count };
  const { from, to } = resolveRange('lines', lines, index.count);
  return { start: { offset: await locate(text, index, from, signal), line: from, character: 0 }, last: to };
}

async function lineEnding(text: TextSource, newline: Newline): Promise<'cr' | 'crlf' | 'lf' | 'mixed'> {
  if (newline === 13) return 'cr';
  const head = await text.read(0, READ_BYTES);
  let crlf = 0;
  let lf = 0;
  for (let at = head.indexOf(10); at >= 0; at = head.indexOf(10, at + 1)) {
    if (head[at - 1] === 13) crlf += 1;
    else lf += 1;
  }
  return crlf === 0 ? 'lf' : lf === 0 ? 'crlf' : 'mixed';
}

/** The text from `start` to `end`, in pieces of up to 64 KiB; constant memory. */
async function* everything(
  text: TextSource,
  start: LinePosition,
  newline: Newline,
  { selection, signal }: ProcessContext,
  end: Bytes = text.size,
): AsyncGenerator<TextPart> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const terminator = String.fromCharCode(newline);
  let line = start.line;
  let fresh = true;
  for (let at = start.offset; at < end; at += READ_BYTES) {
    throwIfAborted(signal);
    const piece = await text.read(at, Math.min(READ_BYTES, end - at));
    const content = decoder.decode(piece, { stream: at + piece.length < end });
    if (content === '') continue;
    const from = line;
    let view = '';
    let begin = 0;
    while (begin < content.length) {
      const feed = content.indexOf(terminator, begin);
      const to = feed < 0 ? content.length : feed + 1;
      if (selection.numbered) view += (fresh ? `${line}: ` : '') + content.slice(begin, to);
      fresh = feed >= 0;
      if (fresh) line += 1;
      begin = to;
    }
    yield {
      kind: 'text',
      text: content,
      ...(selection.numbered && { view }),
      shown: [{ unit: 'line', from, to: Math.max(from, fresh ? line - 1 : line) }],
    };
  }
}
