// Property modifiers of Word ([MS-DOC] 2.2.5 and 2.6): a list of codes, each with an operand whose size the code implies.

import { u8, u16 } from '../office97/bytes.ts';

/** Codes used here. */
export const SPRM = {
  deleted: 0x0800,
  inserted: 0x0801,
  separator: 0x0818,
  bold: 0x0835,
  italic: 0x0836,
  strike: 0x0837,
  hidden: 0x083c,
  doubleStrike: 0x2a53,
  highlight: 0x2a0c,
  plain: 0x2a33,
  colorIndex: 0x2a42,
  vertical: 0x2a48,
  characterStyle: 0x4a30,
  size: 0x4a43,
  font: 0x4a4f,
  shading80: 0x4866,
  picture: 0x6a03,
  symbol: 0x6a09,
  color: 0x6870,
  shading: 0xca71,
  inTable: 0x2416,
  rowEnd: 0x2417,
  innerCell: 0x244b,
  innerRowEnd: 0x244c,
  listLevel: 0x260a,
  outline: 0x2640,
  paragraphStyle: 0x4600,
  list: 0x460b,
  dropCap: 0x442c,
  paragraphShading80: 0x442d,
  paragraphShading: 0xc64d,
  depth: 0x6649,
  hugeParagraph: 0x6646,
  hugeParagraph95: 0x6645,
  tableProperties: 0x646b,
  tableDefinition: 0xd608,
  merge: 0x5624,
  verticalMerge: 0xd62b,
} as const;

/** Operand sizes by the upper three bits; 0 stands for a size stated in the operand. */
const SIZES: readonly number[] = [1, 1, 2, 4, 2, 2, 0, 3];
/** Its size takes two bytes, and counts one of them. */
const LONG: readonly number[] = [SPRM.tableDefinition, 0xd606];
const TABS = 0xc615;

/** Calls `visit` for each modifier: a fixed operand as its number, any other as its bytes. */
export function eachSprm(list: Buffer, visit: (code: number, value: number, bytes: Buffer) => void): void {
  for (let at = 0; at + 2 < list.length; ) {
    const code = list.readUInt16LE(at);
    at += 2;
    let size = SIZES[code >> 13] ?? 1;
    if (size === 0) {
      if (LONG.includes(code)) {
        size = Math.max(0, u16(list, at) - 1);
        at += 2;
      } else {
        size = u8(list, at);
        at += 1;
        if (code === TABS && size === 255) size = tabsSize(list, at);
      }
    }
    const bytes = list.subarray(at, at + size);
    const value = size <= 4 && bytes.length === size && size > 0 ? bytes.readUIntLE(0, size) : 0;
    visit(code, value, bytes);
    at += size;
  }
}

/** Two lists of tabs: to delete (4 bytes each) and to add (3 bytes each), [MS-DOC] 2.6.2. */
function tabsSize(list: Buffer, at: number): number {
  const deleted = u8(list, at);
  return 2 + deleted * 4 + u8(list, at + 1 + deleted * 4) * 3;
}

/** A modifier in the short form of a piece ([MS-DOC] 2.9.214), as a list; empty for those without meaning here. */
export function shortSprm(index: number, value: number): Buffer {
  const code = SHORT[index];
  if (code === undefined) return Buffer.alloc(0);
  return Buffer.from([code & 0xff, code >> 8, value]);
}

const SHORT: Readonly<Record<number, number>> = {
  12: SPRM.listLevel,
  24: SPRM.inTable,
  25: SPRM.rowEnd,
  65: SPRM.deleted,
  66: SPRM.inserted,
  77: SPRM.highlight,
  81: SPRM.separator,
  83: SPRM.plain,
  85: SPRM.bold,
  86: SPRM.italic,
  87: SPRM.strike,
  92: SPRM.hidden,
  98: SPRM.colorIndex,
  104: SPRM.vertical,
  115: SPRM.doubleStrike,
  120: SPRM.outline,
};
