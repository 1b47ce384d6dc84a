// Converts presentations of PowerPoint 97-2003 ([MS-PPT]) to blocks, one section per slide, like newer ones.

import { BoundedMap, plural, throwIfAborted } from '../../../src/contract/index.ts';
import { type Block, cleanText, wellFormedBlock } from '../../../src/document/index.ts';
import type { Converter, OpenDocument, Section } from '../document.ts';
import { u16, u32 } from '../office97/bytes.ts';
import { type ArtRecord, childOf, recordsIn } from '../office97/records.ts';
import { summaryFacts } from '../office97/summary.ts';
import {
  commentList,
  NO_SLIDES,
  type Slide,
  type SlideComment,
  slideFacts,
  slideSection,
} from '../slides.ts';
import { MasterStyles, type StyleLevels, showsMaster, styleLevels } from './master.ts';
import { PresentationFile, stringOf } from './presentation-file.ts';
import { RECORD } from './record-types.ts';
import { isHiddenSlide, SlideReader, taggedRecords, UNITS } from './slide.ts';

const MAX_COMMENTS = 10_000;
/** Masters kept; presentations use a handful. */
const MAX_MASTERS = 16;

export const pptConverter: Converter = {
  async open(source, context): Promise<OpenDocument> {
    const file = new PresentationFile(await source.bytes());
    throwIfAborted(context.signal);
    const { slides } = file;
    if (slides.length === 0) context.warn(NO_SLIDES);
    else if (file.isSearched)
      context.warn({
        code: 'SKIPPED_CONTENT',
        message:
          'The list of slides is missing or damaged; slides are in the order in which they were saved.',
      });
    if (file.pictures > 0)
      context.warn({
        code: 'SKIPPED_CONTENT',
        message: `${plural(file.pictures, 'picture')} left out; the .ppt format is read for text only.`,
      });
    const hidden: number[] = [];
    for (const [index, { record }] of slides.entries())
      if (record && isHiddenSlide(file.bytes, record)) hidden.push(index + 1);
    const deck = new Deck(file);
    return {
      facts: {
        ...(await summaryFacts(file.compound)),
        ...(file.hasMacros && { macros: true }),
        ...slideFacts(slides.length, hidden),
      },
      sections: Math.max(1, slides.length),
      section: async (number) => {
        throwIfAborted(context.signal);
        return deck.section(number);
      },
    };
  },
};

class Deck {
  readonly #file: PresentationFile;
  readonly #styles = new BoundedMap<number, MasterStyles>({ most: MAX_MASTERS });
  readonly #masterTexts = new BoundedMap<number, readonly string[]>({ most: MAX_MASTERS });

  readonly #footersOfAll: ArtRecord | undefined;
  readonly #base: StyleLevels;

  constructor(file: PresentationFile) {
    this.#file = file;
    const { bytes, document } = file;
    for (const record of document ? recordsIn(bytes, document.from, document.to) : [])
      if (record.type === RECORD.headersFooters && record.instance === FOR_SLIDES)
        this.#footersOfAll = record;
    const environment = document && childOf(bytes, document, RECORD.environment);
    this.#base = environment ? styleLevels(bytes, environment) : new Map();
  }

  section(number: number): Section {
    const { slides, size } = this.#file;
    if (slides.length === 0) return { blocks: [] };
    const before = slides[number - 2]?.record;
    const section = slideSection(number, this.#slide(number), before ? this.#footers(before) : [], {
      width: size.width * UNITS,
      height: size.height * UNITS,
    });
    return { ...section, blocks: section.blocks.map(wellFormedBlock) };
  }

  #slide(number: number): Slide | undefined {
    const { record, texts } = this.#file.slides[number - 1] ?? {};
    if (!record || !texts) return undefined;
    const styles = this.#stylesOf(this.#masterOf(record));
    const page = this.#file.notes(number);
    return {
      ...new SlideReader(this.#file, styles, texts, number).read(record),
      isHidden: isHiddenSlide(this.#file.bytes, record),
      footers: this.#footers(record),
      notes: page ? new SlideReader(this.#file, this.#stylesOf(0), [], number).notes(page) : [],
      remarks: this.#comments(record, number),
    };
  }

  #masterOf(slide: ArtRecord): number {
    const head = childOf(this.#file.bytes, slide, RECORD.slideHead);
    return head ? u32(this.#file.bytes, head.from + 12) : 0;
  }

  /** What the masters of a slide say on it. */
  #textsOfMaster(slide: ArtRecord): readonly string[] {
    if (!showsMaster(this.#file.bytes, slide)) return [];
    const id = this.#masterOf(slide);
    const known = this.#masterTexts.get(id);
    if (known) return known;
    const styles = this.#stylesOf(id);
    const texts = styles.shown.flatMap((master) =>
      new SlideReader(this.#file, styles, [], 0).masterTexts(master),
    );
    this.#masterTexts.set(id, texts);
    return texts;
  }

  #stylesOf(master: number): MasterStyles {
    const known = this.#styles.get(master);
    if (known) return known;
    const styles = new MasterStyles(this.#file, master, this.#base);
    this.#styles.set(master, styles);
    return styles;
  }

  /** The footers of a slide and the texts of its masters, as inline content. */
  #footers(slide: ArtRecord): string[] {
    return [...this.#ownFooters(slide), ...this.#textsOfMaster(slide)].map((text) => cleanText(text));
  }

  /** The fixed date and the footer of a slide, or of all slides ([MS-PPT] 2.4.15). */
  #ownFooters(slide: ArtRecord): string[] {
    const { bytes } = this.#file;
    const stated = childOf(bytes, slide, RECORD.headersFooters) ?? this.#footersOfAll;
    const head = stated && childOf(bytes, stated, RECORD.headersFootersHead);
    if (!stated || !head) return [];
    const flags = u16(bytes, head.from + 2);
    const date = (flags & 5) === 5 ? stringOf(bytes, stated, 0) : '';
    const footer = (flags & 0x20) !== 0 ? stringOf(bytes, stated, 2) : '';
    return [date, footer].map((text) => text.trim()).filter((text) => text !== '');
  }

  /** Comments of PowerPoint 2002 and later ([MS-PPT] 2.5.27, Comment10Container). */
  #comments(slide: ArtRecord, number: number): Block[] {
    const { bytes } = this.#file;
    const tags = childOf(bytes, slide, RECORD.tags);
    const comments: SlideComment[] = [];
    for (const comment of tags ? taggedRecords(bytes, tags, RECORD.comment) : []) {
      if (comments.length >= MAX_COMMENTS) break;
      const head = childOf(bytes, comment, RECORD.commentHead);
      const text = cleanText(stringOf(bytes, comment, 1))
        .replace(/\s+/g, ' ')
        .trim();
      if (text === '') continue;
      const date = head ? dateOf(bytes, head.from + 4) : '';
      comments.push({ by: { author: stringOf(bytes, comment, 0), date }, text });
    }
    return commentList(comments, number);
  }
}

/** Instance of the headers and footers of slides, rather than of notes. */
const FOR_SLIDES = 3;

/** The day of a `SYSTEMTIME`; `''` if it is not set. */
function dateOf(bytes: Buffer, at: number): string {
  const [year, month, day] = [u16(bytes, at), u16(bytes, at + 2), u16(bytes, at + 6)];
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > 31) return '';
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
