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
    switch (code) {
      case SPRM.paragraphStyle:
        format.style = value;
        break;
      case SPRM.list:
        format.list = value;
        break;
      case SPRM.listLevel:
        format.level = value;
        break;
      case SPRM.outline:
        format.outline = value;
        break;
      case SPRM.inTable:
        format.inTable = value !== 0;
        break;
      case SPRM.rowEnd:
        format.rowEnd = value !== 0;
        break;
      case SPRM.depth:
        format.depth = value;
        break;
      case SPRM.innerCell:
        format.innerCell = value !== 0;
        break;
      case SPRM.innerRowEnd:
        format.innerRowEnd = value !== 0;
        break;
      case SPRM.dropCap:
        format.dropCap = (value & 7) !== 0;
        break;
      case SPRM.paragraphShading80:
        format.shaded = isShade80(value);
        break;
      case SPRM.paragraphShading:
        format.shaded = isShade(bytes);
        break;
      case SPRM.hugeParagraph:
      case SPRM.hugeParagraph95:
      case SPRM.tableProperties: {
        // The list in the data stream contains no reference to another.
        const other = long?.at(value);
        if (other) apply(format, other, undefined);
        break;
      }
    }
  });
}
