// The shapes of one slide or notes page ([MS-PPT] 2.5, [MS-ODRAW] 2.2) as items in reading order.

import type { Warning } from '../../../src/contract/index.ts';
import { type Block, imageMark, isEmpty, paragraphBlock } from '../../../src/document/index.ts';
import { i16, i32, u8, u16, u32 } from '../office97/bytes.ts';
import { ART, type ArtRecord, childOf, PROPERTY, recordsIn, ShapeProperties } from '../office97/records.ts';
import { Frame } from '../pptx/box.ts';
import { cellText, plainText, textBlocks } from '../pptx/text.ts';
import { type Box, inReadingOrder } from '../slide-order.ts';
import { hiddenShapes, type Slide, type SlideItem } from '../slides.ts';
import type { MasterStyles } from './master.ts';
import type { ListedSlide, PresentationFile } from './presentation-file.ts';
import { MARGINS, RECORD, TEXT } from './record-types.ts';
import { shapeTable, type TableCell } from './table.ts';
import { linkOf, type ReadText, readText } from './text.ts';
import { type AutoNumber, readAutoNumbers } from './text-style.ts';

/** What a shape states besides its text. */
interface ShapeData {
  readonly placeholder: number | undefined;
  readonly link: string | undefined;
  readonly object: string | undefined;
  readonly numbers: readonly (AutoNumber | undefined)[];
}

/** English Metric Units per master unit. */
export const UNITS = 1587.5;
const MAX_SHAPES = 100_000;
const MAX_DEPTH = 32;
/** Type of a shape that is a picture ([MS-ODRAW] 2.4.24). */
const PICTURE = 75;

/** Reads the drawing of a slide or notes page. */
export class SlideReader {
  readonly #file: PresentationFile;
  readonly #bytes: Buffer;
  readonly #styles: MasterStyles;
  readonly #texts: ListedSlide['texts'];
  readonly #number: number;
  readonly #usedTexts = new Set<number>();
  #title = '';
  #titleBox: Box | undefined;
  #shapes = 0;
  #hidden = 0;
  #hiddenText = '';

  /** `texts` are those in the list of slides. */
  constructor(file: PresentationFile, styles: MasterStyles, texts: ListedSlide['texts'], number: number) {
    this.#file = file;
    this.#bytes = file.bytes;
    this.#styles = styles;
    this.#texts = texts;
    this.#number = number;
  }

  read(slide: ArtRecord): Pick<Slide, 'title' | 'titleBox' | 'items' | 'warnings'> {
    const items = this.#items(slide);
    // Without shapes that show them, texts in the list of slides are still the slide's.
    for (const [index, records] of this.#texts.entries()) {
      if (this.#usedTexts.has(index)) continue;
      const text = readText(records, this.#context(NO_DATA));
      const blocks = this.#textBlocks(text, undefined);
      if (blocks.length > 0) items.push({ box: undefined, blocks });
    }
    return { title: this.#title, titleBox: this.#titleBox, items, warnings: this.#warnings() };
  }

  /** The texts of a notes page. */
  notes(page: ArtRecord): Block[] {
    return this.#items(page).flatMap(({ blocks }) => [...blocks]);
  }

  /** What the shapes of a master say on every slide; its placeholders say nothing themselves. */
  masterTexts(master: ArtRecord): string[] {
    const texts: string[] = [];
    const add = (records: readonly ArtRecord[], depth: number): void => {
      for (const record of records) {
        this.#shapes += 1;
        if (this.#shapes > MAX_SHAPES || depth > MAX_DEPTH) return;
        if (record.type === ART.group)
          add([...recordsIn(this.#bytes, record.from, record.to)].slice(0, MAX_SHAPES), depth + 1);
        if (record.type !== ART.shape || new ShapeProperties(this.#bytes, record).hidden) continue;
        const data = this.#data(record);
        const text = data.placeholder === undefined ? this.#text(record, data) : undefined;
        const words = text ? plainText(text.paragraphs).replace(/\s+/g, ' ').trim() : '';
        if (words !== '') texts.push(words);
      }
    };
    add(this.#shapesOf(master), 0);
    return texts;
  }

  /** The shapes of a page, without the page itself. */
  #shapesOf(page: ArtRecord): ArtRecord[] {
    const holder = childOf(this.#bytes, page, RECORD.drawing);
    const drawing = holder && childOf(this.#bytes, holder, ART.drawing);
    const group = drawing && childOf(this.#bytes, drawing, ART.group);
    const shapes = group ? [...recordsIn(this.#bytes, group.from, group.to)] : [];
    return shapes[0]?.type === ART.shape ? shapes.slice(1) : shapes;
  }

  #items(page: ArtRecord): SlideItem[] {
    return this.#shapesOf(page).flatMap((record) => this.#item(record, Frame.SLIDE, 0));
  }

  #item(record: ArtRecord, frame: Frame, depth: number): SlideItem[] {
    this.#shapes += 1;
    if (this.#shapes > MAX_SHAPES || depth > MAX_DEPTH) return [];
    if (record.type === ART.group) return this.#group(record, frame, depth);
    return record.type === ART.shape ? this.#shape(record, frame) : [];
  }

  #group(group: ArtRecord, frame: Frame, depth: number): SlideItem[] {
    const [head, ...inner] = [...recordsIn(this.#bytes, group.from, group.to)].slice(0, MAX_SHAPES);
    if (!head) return [];
    const box = this.#box(head);
    const rectangle = childOf(this.#bytes, head, ART.groupFrame);
    const inside = box && rectangle ? frame.within(box, rectangleOf(this.#bytes, rectangle.from)) : frame;
    const properties = new ShapeProperties(this.#bytes, head);
    if (((properties.value(PROPERTY.tableFlags) ?? 0) & 1) === 1) {
      const table = shapeTable(this.#cells(inner, inside));
      return isEmpty(table) ? [] : [{ box: box && frame.place(box), blocks: [table] }];
    }
    const items = inner.flatMap((record) => this.#item(record, inside, depth + 1));
    if (items.length === 0) return [];
    const blocks = inReadingOrder(items).flatMap((item) => item.blocks);
    return [{ box: box && frame.place(box), blocks }];
  }

  #cells(records: readonly ArtRecord[], frame: Frame): TableCell[] {
    const cells: TableCell[] = [];
    for (const record of records) {
      this.#shapes += 1;
      if (this.#shapes > MAX_SHAPES) break;
      const own = record.type === ART.shape ? this.#box(record) : undefined;
      const box = own && frame.place(own);
      // Lines between cells have no area.
      if (!box || box.width <= 0 || box.height <= 0) continue;
      const text = this.#text(record, this.#data(record));
      cells.push({ box, text: text ? cellText(text.paragraphs) : '' });
    }
    return cells;
  }

  #shape(shape: ArtRecord, frame: Frame): SlideItem[] {
    const properties = new ShapeProperties(this.#bytes, shape);
    const data = this.#data(shape);
    const text = this.#text(shape, data);
    if (properties.hidden) {
      this.#hidden += 1;
      this.#hiddenText ||= text ? plainText(text.paragraphs) : '';
      return [];
    }
    // Slide numbers, dates and footers are not content.
    if (data.placeholder !== undefined && MARGINS.includes(data.placeholder)) return [];
    const own = this.#box(shape);
    const box = own && frame.place(own);
    const blocks = text ? this.#textBlocks(text, box) : [];
    const head = childOf(this.#bytes, shape, ART.shapeHead);
    if (data.object !== undefined) blocks.push(paragraphBlock(`(embedded object: ${data.object})`));
    if (head?.instance === PICTURE || data.object !== undefined) {
      const mark = paragraphBlock(imageMark(properties.description, ''));
      if (!isEmpty(mark)) blocks.push(mark);
    }
    return blocks.length === 0 ? [] : [{ box, blocks }];
  }

  #textBlocks({ type, paragraphs }: ReadText, box: Box | undefined): Block[] {
    const isTitle = type === TEXT.title || type === TEXT.centredTitle;
    if (!isTitle || this.#title !== '') return textBlocks(paragraphs);
    this.#title = plainText(paragraphs);
    this.#titleBox = box;
    return [];
  }

  #context({ link, numbers }: ShapeData): Parameters<typeof readText>[1] {
    return {
      file: this.#file,
      bullet: (type, level) => this.#styles.bullet(type, level),
      numbers,
      link,
      slide: this.#number,
    };
  }

  /** The text of a shape, which may stand in the list of slides. */
  #text(shape: ArtRecord, data: ShapeData): ReadText | undefined {
    const box = childOf(this.#bytes, shape, ART.textBox);
    if (!box) return undefined;
    const own = [...recordsIn(this.#bytes, box.from, box.to)];
    const reference = own.find(({ type }) => type === RECORD.textReference);
    const index = reference ? u32(this.#bytes, reference.from) : -1;
    const listed = this.#usedTexts.has(index) ? undefined : this.#texts[index];
    if (listed) this.#usedTexts.add(index);
    return readText(listed ? [...listed, ...own] : own, this.#context(data));
  }

  #data(shape: ArtRecord): ShapeData {
    const data = childOf(this.#bytes, shape, ART.data);
    if (!data) return NO_DATA;
    let placeholder: number | undefined;
    let link: string | undefined;
    let object: string | undefined;
    let numbers: readonly (AutoNumber | undefined)[] = [];
    for (const record of recordsIn(this.#bytes, data.from, data.to)) {
      if (record.type === RECORD.placeholder) placeholder = u8(this.#bytes, record.from + 4);
      else if (record.type === RECORD.action) link ??= linkOf(this.#file, record);
      else if (record.type === RECORD.objectReference)
        object = this.#file.object(u32(this.#bytes, record.from));
      else if (record.type === RECORD.tags) {
        const found = taggedRecord(this.#bytes, record, RECORD.textStyle9);
        if (found) numbers = readAutoNumbers(this.#bytes.subarray(found.from, found.to));
      }
    }
    return { placeholder, link, object, numbers };
  }

  /** The rectangle of a shape, in English Metric Units; that of a shape in a group in the group's own units. */
  #box(shape: ArtRecord): Box | undefined {
    for (const { type, from, to } of recordsIn(this.#bytes, shape.from, shape.to)) {
      if (type === ART.childAnchor) return rectangleOf(this.#bytes, from);
      if (type !== ART.anchor) continue;
      // Top, left, right, bottom, in two bytes each or in four ([MS-PPT] 2.7.1).
      const isSmall = to - from < 16;
      const at = (index: number): number =>
        isSmall ? i16(this.#bytes, from + index * 2) : i32(this.#bytes, from + index * 4);
      return boxOf(at(1), at(0), at(2), at(3));
    }
    return undefined;
  }

  #warnings(): Warning[] {
    const warnings: Warning[] = [];
    if (this.#hidden > 0) warnings.push(hiddenShapes(this.#hidden, this.#hiddenText.slice(0, 80)));
    if (this.#shapes > MAX_SHAPES)
      warnings.push({ code: 'SKIPPED_CONTENT', message: `Shapes after the first ${MAX_SHAPES} left out.` });
    return warnings;
  }
}

const NO_DATA: ShapeData = { placeholder: undefined, link: undefined, object: undefined, numbers: [] };

/** A record inside the binary tags of a shape or slide ([MS-PPT] 2.5.22 and others). */
export function taggedRecord(bytes: Buffer, tags: ArtRecord, type: number): ArtRecord | undefined {
  for (const found of taggedRecords(bytes, tags, type)) return found;
  return undefined;
}

/** All records of that type inside binary tags. */
export function* taggedRecords(
  bytes: Buffer,
  tags: ArtRecord,
  type: number,
): Generator<ArtRecord, void, undefined> {
  for (const tag of recordsIn(bytes, tags.from, tags.to)) {
    const data = tag.type === RECORD.tag ? childOf(bytes, tag, RECORD.tagData) : undefined;
    if (!data) continue;
    for (const record of recordsIn(bytes, data.from, data.to)) if (record.type === type) yield record;
  }
}

function boxOf(left: number, top: number, right: number, bottom: number): Box {
  return { x: left * UNITS, y: top * UNITS, width: (right - left) * UNITS, height: (bottom - top) * UNITS };
}

/** Left, top, right, bottom in four bytes each. */
function rectangleOf(bytes: Buffer, at: number): Box {
  return boxOf(i32(bytes, at), i32(bytes, at + 4), i32(bytes, at + 8), i32(bytes, at + 12));
}

/** The flags of a slide ([MS-PPT] 2.6.6, SlideShowSlideInfoAtom): true if the show leaves it out. */
export function isHiddenSlide(bytes: Buffer, slide: ArtRecord): boolean {
  const show = childOf(bytes, slide, RECORD.slideShow);
  return show !== undefined && (u16(bytes, show.from + 10) & 4) !== 0;
}
