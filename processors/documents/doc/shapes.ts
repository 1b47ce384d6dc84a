// Drawings of a Word file: which shape is anchored at a position ([MS-DOC] 2.8.37 PlcfSpa), its alternative text, and
// where the text of its boxes is ([MS-DOC] 2.8.32 PlcftxbxTxt).

import { u16, u32 } from '../office97/bytes.ts';
import { ART, type ArtRecord, PROPERTY, recordsIn, ShapeProperties } from '../office97/records.ts';
import { TABLE } from './fib.ts';
import { Plex } from './plex.ts';
import type { Range, WordFile } from './word-file.ts';

const ANCHOR = 26;
const BOX = 22;
const MAX_SHAPES = 100_000;
const MAX_DEPTH = 32;
const WHITE = 0xffffff;

/** A top-level shape and those inside it. */
interface Drawn {
  readonly ids: number[];
  description: string;
  hidden: boolean;
}

/** The shapes of the body and of page headers. */
export class Shapes {
  /** True if the page has a background other than white. */
  background = false;
  readonly #anchored = new Map<number, number>();
  readonly #drawn = new Map<number, Drawn>();
  /** Texts of boxes by shape. */
  readonly #texts = new Map<number, Range[]>();
  readonly #bodyTexts: Range[] = [];
  readonly #taken = new Set<Range>();
  readonly #shown = new Set<number>();
  #count = 0;

  constructor(file: WordFile) {
    const { main, headers, boxes, headerBoxes } = file.stories;
    this.#readAnchors(file.part(TABLE.shapes), main);
    this.#readAnchors(file.part(TABLE.headerShapes), headers);
    this.#readTexts(file.part(TABLE.boxTexts), boxes, this.#bodyTexts);
    this.#readTexts(file.part(TABLE.headerBoxTexts), headerBoxes, []);
    const art = file.part(TABLE.drawings);
    const [group] = recordsIn(art);
    // A byte before each drawing states whether it belongs to the body or to the headers.
    for (let at = group?.to ?? art.length; at < art.length; ) {
      const [drawing] = recordsIn(art, at + 1);
      if (!drawing) break;
      if (drawing.type === ART.drawing) this.#readDrawing(art, drawing);
      at = drawing.to;
    }
  }

  /** The shape anchored at `position`: its alternative text, and the texts of its boxes, each only once. */
  at(position: number): { readonly description: string; readonly texts: readonly Range[] } | undefined {
    const id = this.#anchored.get(position);
    // A shape has one anchor.
    if (id === undefined || this.#shown.has(id)) return undefined;
    this.#shown.add(id);
    const drawn = this.#drawn.get(id);
    if (drawn?.hidden) return undefined;
    const ids = drawn?.ids ?? [id];
    return {
      description: drawn?.description ?? '',
      texts: ids.flatMap((one) => this.#texts.get(one) ?? []).filter((range) => this.#take(range)),
    };
  }

  /** Texts of boxes of the body whose anchor is unknown. */
  rest(): Range[] {
    return this.#bodyTexts.filter((range) => this.#take(range));
  }

  #take(range: Range): boolean {
    if (this.#taken.has(range)) return false;
    this.#taken.add(range);
    return true;
  }

  #readAnchors(bytes: Buffer, { from }: Range): void {
    const anchors = new Plex(bytes, ANCHOR);
    for (let index = 0; index < Math.min(anchors.count, MAX_SHAPES); index += 1)
      this.#anchored.set(from + anchors.position(index), u32(anchors.data(index), 0));
  }

  #readTexts(bytes: Buffer, { from, to }: Range, all: Range[]): void {
    const texts = new Plex(bytes, BOX);
    let room = to - from;
    for (let index = 0; index < Math.min(texts.count, MAX_SHAPES); index += 1) {
      const data = texts.data(index);
      const range = {
        from: Math.min(to, from + texts.position(index)),
        to: Math.min(to, from + texts.position(index + 1)),
      };
      room -= range.to - range.from;
      // An entry for reuse has no text.
      if (u16(data, 8) !== 0 || range.to <= range.from || room < 0) continue;
      const id = u32(data, 14);
      const known = this.#texts.get(id);
      if (known) known.push(range);
      else this.#texts.set(id, [range]);
      all.push(range);
    }
  }

  #readDrawing(art: Buffer, drawing: ArtRecord): void {
    for (const record of recordsIn(art, drawing.from, drawing.to)) {
      if (record.type === ART.shape) this.#readBackground(art, record);
      if (record.type !== ART.group) continue;
      let first = true;
      for (const shape of recordsIn(art, record.from, record.to)) {
        // The first shape is the drawing itself.
        if (!first || shape.type !== ART.shape) this.#readTop(art, shape);
        first = false;
      }
    }
  }

  #readTop(art: Buffer, shape: ArtRecord): void {
    const drawn: Drawn = { ids: [], description: '', hidden: false };
    this.#gather(art, shape, drawn, 0);
    const [id] = drawn.ids;
    if (id !== undefined) this.#drawn.set(id, drawn);
  }

  #gather(art: Buffer, record: ArtRecord, into: Drawn, depth: number): void {
    this.#count += 1;
    if (depth > MAX_DEPTH || this.#count > MAX_SHAPES) return;
    if (record.type === ART.group) {
      for (const inner of recordsIn(art, record.from, record.to)) this.#gather(art, inner, into, depth + 1);
      return;
    }
    if (record.type !== ART.shape) return;
    const properties = new ShapeProperties(art, record);
    if (into.ids.length === 0) {
      into.description = properties.description;
      into.hidden = properties.hidden;
    }
    for (const one of recordsIn(art, record.from, record.to))
      if (one.type === ART.shapeHead) into.ids.push(u32(art, one.from));
  }

  #readBackground(art: Buffer, shape: ArtRecord): void {
    const properties = new ShapeProperties(art, shape);
    const color = properties.value(PROPERTY.fillColor);
    const isFilled = ((properties.value(PROPERTY.fillFlags) ?? 0x10) & 0x10) !== 0;
    if (color !== undefined && color !== WHITE && isFilled) this.background = true;
  }
}
