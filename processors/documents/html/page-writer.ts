// What a page has come to while it is walked: the gathering places that are open, the style of the text at hand, and how
// text and line breaks come into a paragraph. Knows no elements.

import type { Block } from '../document.ts';
import { cleanText, type Run } from '../markdown/index.ts';
import { type FinishedBlock, Sink, type SinkKind } from './sink.ts';

/** A style that elements switch on for what is in them. */
export type Flag = 'bold' | 'italic' | 'strike' | 'code' | 'superscript' | 'subscript';

/** Takes text and blocks in document order. */
export class PageWriter {
  /** How many open elements switch a style on. */
  readonly flags: Record<Flag, number> = {
    bold: 0,
    italic: 0,
    strike: 0,
    code: 0,
    superscript: 0,
    subscript: 0,
  };
  /** The target of the link that is open. */
  href: string | undefined;
  /** Open elements whose line breaks are kept. */
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

  /** Ends the paragraph; inside of a heading, where only words may follow, a space. */
  break(): void {
    const sink = this.sink;
    if (sink.heading > 0) this.space();
    else sink.flush();
  }

  block(kind: FinishedBlock['kind'], text: Block): void {
    const sink = this.sink;
    sink.flush();
    if (sink.kind === 'list') sink.adopt([{ kind, text }]);
    else sink.push(kind, text);
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
    // Two in a row are how mail and old pages end a paragraph.
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

  /** Inline Markdown as it is, in the link that is open. */
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
