// A text of a presentation ([MS-PPT] 2.9): its records as paragraphs with levels, markers, emphasis and links.

import type { Run } from '../../../src/document/index.ts';
import { u32, utf16 } from '../office97/bytes.ts';
import { type ArtRecord, childOf } from '../office97/records.ts';
import { Numbering, type Paragraph } from '../pptx/text.ts';
import type { PresentationFile } from './presentation-file.ts';
import { RECORD, TEXT } from './record-types.ts';
import {
  type AutoNumber,
  type CharacterStyle,
  type ParagraphStyle,
  readTextStyles,
  type StyleRun,
} from './text-style.ts';

/** What a text inherits. */
export interface TextContext {
  readonly file: PresentationFile;
  /** Whether a level has a bullet, by the master. */
  bullet(type: number, level: number): boolean;
  /** Numberings of the shape. */
  readonly numbers: readonly (AutoNumber | undefined)[];
  /** Link of the whole shape. */
  readonly link: string | undefined;
  /** Shown where the text has the number of its slide. */
  readonly slide: number;
}

export interface ReadText {
  readonly type: number;
  readonly paragraphs: readonly Paragraph[];
}

interface LinkRange {
  readonly from: number;
  readonly to: number;
  readonly href: string;
}

const MAX_LINKS = 10_000;

/** The text that `records` state. */
export function readText(records: Iterable<ArtRecord>, context: TextContext): ReadText {
  const { bytes } = context.file;
  let type: number = TEXT.other;
  let text = '';
  let styles: ArtRecord | undefined;
  let target: string | undefined;
  const links: LinkRange[] = [];
  // Signs in the text that stand for something else, and the text shown for each.
  const signs = new Map<number, string>();
  for (const record of records) {
    const { from, to } = record;
    switch (record.type) {
      case RECORD.textHead:
        type = u32(bytes, from);
        break;
      case RECORD.textWide:
        text = utf16(bytes, from, (to - from) >> 1);
        break;
      case RECORD.textNarrow:
        // The low bytes of UTF-16 ([MS-PPT] 2.9.42).
        text = bytes.toString('latin1', from, to);
        break;
      case RECORD.textStyle:
        styles = record;
        break;
      case RECORD.slideNumber:
        signs.set(u32(bytes, from), String(context.slide));
        break;
      case RECORD.date:
      case RECORD.plainDate:
      case RECORD.formattedDate:
      case RECORD.header:
      case RECORD.footer:
        signs.set(u32(bytes, from), '');
        break;
      case RECORD.action:
        target = linkOf(context.file, record);
        break;
      case RECORD.linkRange:
        if (target !== undefined && links.length < MAX_LINKS)
          links.push({ from: u32(bytes, from), to: u32(bytes, from + 4), href: target });
        target = undefined;
        break;
    }
  }
  const { paragraphs, characters } = readTextStyles(
    styles ? bytes.subarray(styles.from, styles.to) : Buffer.alloc(0),
    text.length,
  );
  links.sort((a, b) => a.from - b.from);
  // A number or date of its own is not content.
  if (signs.size > 0 && [...text].every((one, at) => one.trim() === '' || signs.has(at)))
    return { type, paragraphs: [] };
  const reader = new ParagraphReader(context, type, characters, links, signs);
  return { type, paragraphs: reader.read(text, paragraphs) };
}

/** The target of an action ([MS-PPT] 2.8.5, InteractiveInfoContainer). */
export function linkOf(file: PresentationFile, action: ArtRecord): string | undefined {
  const head = childOf(file.bytes, action, RECORD.actionHead);
  return head && file.link(u32(file.bytes, head.from + 4));
}

const PLAIN: CharacterStyle = { bold: false, italic: false, position: 0, extra: 0 };

class ParagraphReader {
  readonly #context: TextContext;
  readonly #type: number;
  readonly #characters: readonly StyleRun<CharacterStyle>[];
  readonly #links: readonly LinkRange[];
  readonly #signs: ReadonlyMap<number, string>;
  readonly #numbering = new Numbering();
  #run = 0;
  /** Where the current run of characters ends. */
  #runEnd: number;
  #link = 0;

  constructor(
    context: TextContext,
    type: number,
    characters: readonly StyleRun<CharacterStyle>[],
    links: readonly LinkRange[],
    signs: ReadonlyMap<number, string>,
  ) {
    this.#context = context;
    this.#type = type;
    this.#characters = characters;
    this.#links = links;
    this.#signs = signs;
    this.#runEnd = characters[0]?.length ?? Number.POSITIVE_INFINITY;
  }

  read(
    text: string,
    styles: readonly (StyleRun<ParagraphStyle> & { readonly level: number })[],
  ): Paragraph[] {
    const paragraphs: Paragraph[] = [];
    let style = 0;
    let styleEnd = styles[0]?.length ?? Number.POSITIVE_INFINITY;
    for (let from = 0; from <= text.length; ) {
      const found = text.indexOf('\r', from);
      const to = found < 0 ? text.length : found;
      while (styleEnd <= from && style < styles.length) {
        style += 1;
        styleEnd += styles[style]?.length ?? Number.POSITIVE_INFINITY;
      }
      const level = styles[style]?.level ?? 0;
      const first = this.#styleAt(from);
      const runs = this.#runs(text, from, to);
      from = to + 1;
      if (!runs.some((run) => run.text.trim() !== '')) continue;
      paragraphs.push({ runs, level, marker: this.#marker(level, styles[style]?.style.bullet, first) });
    }
    return paragraphs;
  }

  #marker(level: number, stated: boolean | undefined, { extra }: CharacterStyle): string | undefined {
    if (!(stated ?? this.#context.bullet(this.#type, level))) return this.#numbering.none(level);
    const number = this.#context.numbers[extra];
    return number ? this.#numbering.next(level, number.scheme, number.start) : this.#numbering.bullet(level);
  }

  #styleAt(position: number): CharacterStyle {
    while (this.#runEnd <= position && this.#run < this.#characters.length) {
      this.#run += 1;
      this.#runEnd += this.#characters[this.#run]?.length ?? Number.POSITIVE_INFINITY;
    }
    return this.#characters[this.#run]?.style ?? PLAIN;
  }

  #runs(text: string, from: number, to: number): Run[] {
    const runs: Run[] = [];
    for (let at = from; at < to; ) {
      const style = this.#styleAt(at);
      while ((this.#links[this.#link]?.to ?? Number.POSITIVE_INFINITY) <= at) this.#link += 1;
      const link = this.#links[this.#link];
      const isLinked = link !== undefined && link.from <= at;
      const linkEdge = link === undefined ? to : isLinked ? link.to : link.from;
      const end = Math.max(at + 1, Math.min(to, this.#runEnd, linkEdge));
      const href = isLinked ? link.href : this.#context.link;
      runs.push({
        text: this.#shown(text.slice(at, end), at),
        ...(style.bold && { bold: true }),
        ...(style.italic && { italic: true }),
        ...(style.position > 0 && { superscript: true }),
        ...(style.position < 0 && { subscript: true }),
        ...(href !== undefined && { href }),
      });
      at = end;
    }
    return runs;
  }

  /** With line breaks, and what signs stand for. */
  #shown(text: string, from: number): string {
    let shown = text;
    if (this.#signs.size > 0)
      shown = text
        .split('')
        .map((one, at) => this.#signs.get(from + at) ?? one)
        .join('');
    return shown.replaceAll('\u000b', '\n');
  }
}
