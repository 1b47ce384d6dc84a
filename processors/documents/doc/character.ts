// The look of characters from property modifiers ([MS-DOC] 2.6.1). A toggle may refer to the style: "as the style" or
// "unlike the style".

import type { RunLook } from '../docx/styles.ts';
import { u8, u16, u32 } from '../office97/bytes.ts';
import { eachSprm, SPRM } from './sprm.ts';

/** What modifiers say about characters. */
export interface CharacterFormat {
  readonly look: RunLook;
  /** Tracked changes. */
  readonly deleted: boolean;
  readonly inserted: boolean;
  /** A paragraph mark that does not end its paragraph. */
  readonly separator: boolean;
  /** The character of a symbol font that this one stands for. */
  readonly symbol: { readonly font: string; readonly code: number } | undefined;
  /** Place of a picture in the data stream. */
  readonly picture: number | undefined;
}

export type MutableLook = { -readonly [Key in keyof RunLook]: RunLook[Key] };

/** What modifiers refer to. */
export interface CharacterContext {
  /** The look of the paragraph's style, which toggles refer to. */
  readonly style: RunLook;
  /** The look of a character style. */
  character(number: number): RunLook;
  readonly fonts: readonly string[];
}

const WHITE_INDEX = 8;
const WHITE = 0xffffff;
/** Half points; smaller text is unreadable. */
const TINY = 2;

/** `base` changed by each list of modifiers in turn. */
export function characterFormat(
  lists: readonly Buffer[],
  base: RunLook,
  { style, character, fonts }: CharacterContext,
): CharacterFormat {
  let look: MutableLook = { ...base };
  let unlike = style;
  const format: { -readonly [Key in keyof CharacterFormat]: CharacterFormat[Key] } = { ...NO_FORMAT };
  for (const list of lists)
    eachSprm(list, (code, value, bytes) => {
      const flag = FLAGS.get(code);
      if (flag) format[flag] = value !== 0;
      else if (code === SPRM.picture) format.picture = value;
      else if (code === SPRM.symbol) {
        const number = u16(bytes.length === 4 ? bytes : EMPTY, 0);
        format.symbol = { font: fonts[number] ?? '', code: u16(bytes, 2) };
      } else if (code === SPRM.characterStyle) {
        const own = character(value);
        look = { ...look, ...own };
        unlike = { ...unlike, ...own };
      } else if (code === SPRM.plain) look = { ...base };
      else changeLook(look, code, value, bytes, unlike, fonts);
    });
  return { ...format, look };
}

/** Text without formatting. */
export const NO_FORMAT: CharacterFormat = {
  look: {},
  deleted: false,
  inserted: false,
  separator: false,
  symbol: undefined,
  picture: undefined,
};

const FLAGS: ReadonlyMap<number, 'deleted' | 'inserted' | 'separator'> = new Map([
  [SPRM.deleted, 'deleted'],
  [SPRM.inserted, 'inserted'],
  [SPRM.separator, 'separator'],
]);

const EMPTY = Buffer.alloc(0);

/** Applies one modifier to a look; `style` is what toggles refer to. */
export function changeLook(
  look: MutableLook,
  code: number,
  value: number,
  bytes: Buffer,
  style: RunLook,
  fonts: readonly string[],
): void {
  switch (code) {
    case SPRM.bold:
      look.bold = toggled(value, look.bold, style.bold);
      break;
    case SPRM.italic:
      look.italic = toggled(value, look.italic, style.italic);
      break;
    case SPRM.strike:
    case SPRM.doubleStrike:
      look.strike = toggled(value, look.strike, style.strike);
      break;
    case SPRM.hidden:
      look.hidden = toggled(value, look.hidden, style.hidden);
      break;
    case SPRM.vertical:
      look.vertical = value === 1 ? 'superscript' : value === 2 ? 'subscript' : 'baseline';
      break;
    case SPRM.font: {
      const font = fonts[value];
      if (font !== undefined) look.font = font;
      break;
    }
    case SPRM.size:
      if (value > 0 && value <= TINY) look.hidden = true;
      break;
    case SPRM.colorIndex:
      look.white = value === WHITE_INDEX;
      break;
    case SPRM.color:
      look.white = (value & 0xff000000) === 0 && (value & WHITE) === WHITE;
      break;
    case SPRM.highlight:
      look.shaded = value !== 0 && value !== WHITE_INDEX;
      break;
    case SPRM.shading80:
      look.shaded = isShade80(value);
      break;
    case SPRM.shading:
      look.shaded = isShade(bytes);
      break;
  }
}

/** A toggle ([MS-DOC] 2.2.5.2): off, on, as the style, unlike the style. */
function toggled(value: number, own: boolean | undefined, style: boolean | undefined): boolean {
  if (value === 0x80) return own === true;
  if (value === 0x81) return style !== true;
  return value !== 0;
}

/** True for a background that is neither white nor absent ([MS-DOC] 2.9.247, Shd80). */
export function isShade80(value: number): boolean {
  if (value === 0xffff) return false;
  const back = (value >> 5) & 0x1f;
  return value >> 10 !== 0 || (back !== 0 && back !== WHITE_INDEX);
}

/** The same for colours in full ([MS-DOC] 2.9.248, Shd). */
export function isShade(bytes: Buffer): boolean {
  if (bytes.length < 10) return false;
  const back = u32(bytes, 4);
  return (u16(bytes, 8) !== 0 && u16(bytes, 8) !== 0xffff) || (u8(bytes, 7) === 0 && back !== WHITE);
}
