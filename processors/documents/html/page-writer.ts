// The output state of a page walk: the open sinks, the current text style, and how text and line breaks are added to a
// paragraph. Independent of elements.

import { type Block, cleanText, type Run } from '../../../src/document/index.ts';
import { Sink, type SinkKind } from './sink.ts';

/** A style that elements enable for their content. */
export type Flag = 'bold' | 'italic' | 'strike' | 'code' | 'superscript' | 'subscript';

/** Accepts text and blocks in document order. */
export class PageWriter {
  /** Number of open elements that enable each style. */
  readonly flags: Record<Flag, number> = {
    bold: 0,
    italic: 0,
    strike: 0,
    code: 0,
    superscript: 0,
    subscript: 0,
  };
  /** Target of the open link. */
  href: string | undefined;
  /** Number of open elements that preserve line breaks. */
  preserved = 0;
  readonly #sinks: Sink[] = [new Sink('flow', false)];

  get sink(): Sink {
    return this.#sinks.at(-1) ?? this.push('flow');
  }

  push(kind: SinkKind): Sink {
    const sink = new Sink(kind, this.#sinks.at(-1)?.inCell === true);
    this.#sinks.push(sink);
    return sink;
  }

  pop(): void {
    const sink = this.#sinks.pop();
    sink?.flush();
  }

  /** Adds a line break; a space inside a heading, which is a single line. */
  break(): void {
    const sink = this.sink;
    if (sink.heading > 0) this.space();
    else sink.flush();
  }

  block(block: Block): void {
    const sink = this.sink;
    sink.flush();
    if (sink.kind === 'list') sink.adopt([block]);
    else sink.push(block);
  }

  space(): void {
    const sink = this.sink;
    if (sink.atSpace || sink.runs.length === 0) return;
    sink.runs.push(this.#run(' '));
    sink.atSpace = true;
  }

  lineBreak(): void {
    const sink = this.sink;
    if (sink.heading > 0) {
      this.space();
      return;
    }
    // Two breaks in a row end a paragraph in mail and old pages.
    if (sink.runs.at(-1)?.text === '\n') {
      sink.runs.pop();
      sink.flush();
    } else if (sink.runs.length > 0) {
      sink.runs.push({ ...this.#run('\n'), code: false });
      sink.atSpace = true;
    }
  }

  text(given: string): void {
    if (this.preserved > 0 && given.includes('\n')) {
      this.#preservedText(given);
      return;
    }
    const sink = this.sink;
    let text = given.replace(/[ \t\n\r\f\u00a0]+/g, ' ');
    if (sink.atSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    sink.atSpace = text.endsWith(' ');
    if (/[\u00ad\u200b\ufeff]/.test(text)) text = text.replace(/[\u00ad\u200b\ufeff]/g, '');
    if (text !== '') sink.runs.push(this.#run(text));
  }

  #preservedText(given: string): void {
    const lines = given.replace(/\r\n?/g, '\n').split('\n');
    for (const [at, line] of lines.entries()) {
      if (at > 0) this.lineBreak();
      const text = cleanText(line).replaceAll('\u00a0', ' ').trimEnd();
      if (text === '') continue;
      this.sink.runs.push(this.#run(text));
      this.sink.atSpace = false;
    }
  }

  /** Adds inline Markdown unchanged, inside the open link. */
  raw(text: string): void {
    if (text === '') return;
    const sink = this.sink;
    sink.runs.push({ text, raw: true, ...(this.href !== undefined && { href: this.href }) });
    sink.atSpace = false;
  }

  #run(text: string): Run {
    const flags = this.flags;
    return {
      text,
      ...(flags.bold > 0 && this.sink.heading === 0 && { bold: true }),
      ...(flags.italic > 0 && { italic: true }),
      ...(flags.strike > 0 && { strike: true }),
      ...(flags.code > 0 && { code: true }),
      ...(flags.superscript > 0 && { superscript: true }),
      ...(flags.subscript > 0 && { subscript: true }),
      ...(this.href !== undefined && { href: this.href }),
    };
  }
}
