// What property modifiers say about a paragraph ([MS-DOC] 2.6.2): its list, outline level, and place in a table.

import { u16 } from '../office97/bytes.ts';
import { isShade, isShade80 } from './character.ts';
import type { RowCell } from './row.ts';
import { eachSprm, SPRM } from './sprm.ts';

/** What a paragraph, or the style of one, states; what is undefined it does not state. */
export interface ParagraphFormat {
  style: number | undefined;
  /** 1-based number of its list; 0 for none. */
  list: number | undefined;
  level: number | undefined;
  /** 0 to 8; 9 for body text. */
  outline: number | undefined;
  shaded: boolean | undefined;
  dropCap: boolean;
  inTable: boolean;
  /** Depth of tables around it. */
  depth: number;
  /** The end of a row, of a cell or row of an inner table. */
  rowEnd: boolean;
  innerCell: boolean;
  innerRowEnd: boolean;
  /** Modifiers of its row, if it is the end of one. */
  readonly row: Buffer[];
  /** The cells of its row, once they were read. */
  cells: readonly RowCell[] | undefined;
}

/** Long lists of modifiers, which are in the data stream; in all not much more than the stream is long. */
export class LongLists {
  readonly #data: Buffer;
  #room: number;

  constructor(data: Buffer) {
    this.#data = data;
    this.#room = data.length * 8;
  }

  /** The list at a place; undefined if there is none. */
  at(place: number): Buffer | undefined {
    const length = u16(this.#data, place);
    const list = this.#data.subarray(place + 2, place + 2 + length);
    this.#room -= list.length;
    return list.length === 0 || this.#room < 0 ? undefined : list;
  }
}

/** What `lists` say; `long` finds those they refer to. */
export function paragraphFormat(lists: readonly Buffer[], long: LongLists | undefined): ParagraphFormat {
  const format: ParagraphFormat = {
    style: undefined,
    list: undefined,
    level: undefined,
    outline: undefined,
    shaded: undefined,
    dropCap: false,
    inTable: false,
    depth: 0,
    rowEnd: false,
    innerCell: false,
    innerRowEnd: false,
    row: [],
    cells: undefined,
  };
  for (const list of lists) apply(format, list, long);
  return format;
}

function apply(format: ParagraphFormat, list: Buffer, long: LongLists | undefined): void {
  format.row.push(list);
  eachSprm(list, (code, value, bytes) => {
    const change = CHANGES.get(code);
    if (change) Object.assign(format, change(value, bytes));
    // The list in the data stream contains no reference to another.
    const other = REFERENCES.includes(code) ? long?.at(value) : undefined;
    if (other) apply(format, other, undefined);
  });
}

const REFERENCES: readonly number[] = [SPRM.hugeParagraph, SPRM.hugeParagraph95, SPRM.tableProperties];

const CHANGES: ReadonlyMap<number, (value: number, bytes: Buffer) => Partial<ParagraphFormat>> = new Map<
  number,
  (value: number, bytes: Buffer) => Partial<ParagraphFormat>
>([
  [SPRM.paragraphStyle, (style) => ({ style })],
  [SPRM.list, (list) => ({ list })],
  [SPRM.listLevel, (level) => ({ level })],
  [SPRM.outline, (outline) => ({ outline })],
  [SPRM.inTable, (value) => ({ inTable: value !== 0 })],
  [SPRM.rowEnd, (value) => ({ rowEnd: value !== 0 })],
  [SPRM.depth, (depth) => ({ depth })],
  [SPRM.innerCell, (value) => ({ innerCell: value !== 0 })],
  [SPRM.innerRowEnd, (value) => ({ innerRowEnd: value !== 0 })],
  [SPRM.dropCap, (value) => ({ dropCap: (value & 7) !== 0 })],
  [SPRM.paragraphShading80, (value) => ({ shaded: isShade80(value) })],
  [SPRM.paragraphShading, (_, bytes) => ({ shaded: isShade(bytes) })],
]);
