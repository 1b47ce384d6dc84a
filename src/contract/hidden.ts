// Characters that do not show: which they are, where an emoji, a script or typesetting needs them, and how many of the
// others a text has.

import { plural } from './text.ts';

/**
 * Controls, line separators, direction marks, default-ignorable characters (zero width, tags), and unpaired surrogates.
 */
export const HIDDEN: RegExp = hidden(String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}`);
/** The hidden characters of a text, except tabs, line breaks and unpaired surrogates. */
const IN_TEXT = hidden(String.raw`\0-\x08\v\f\x0e-\x1f\x7f-\x9f`);

/** Three flags are sequences of hidden characters. */
function hidden(controls: string): RegExp {
  const flags = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;
  const others = String.raw`\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb`;
  return new RegExp(`${flags}|[${controls}${others}]`, 'gu');
}

/** Scripts whose spelling uses the joiners U+200C and U+200D (Unicode 16, section 23.2). */
const JOINED =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]$/u;

const PICTOGRAPH = /\p{Extended_Pictographic}$/u;
const JOINED_PICTOGRAPH = /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)$/u;

/** Whether the hidden character at `at` belongs to an emoji, or to the spelling of the letter before it. */
export function isSpelling(character: string, at: number, text: string): boolean {
  // The three flag sequences of HIDDEN.
  if (character.length > 2) return true;
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + character.length, at + character.length + 2);
  switch (character) {
    case '\u200d':
      return (
        JOINED.test(before) || (JOINED_PICTOGRAPH.test(before) && /^\p{Extended_Pictographic}/u.test(after))
      );
    case '\u200c':
      return JOINED.test(before);
    case '\ufe0e':
      return PICTOGRAPH.test(before);
    case '\ufe0f':
      return PICTOGRAPH.test(before) || (/[0-9#*]$/.test(before) && after.startsWith('\u20e3'));
    default:
      if (/[\u180b-\u180f]/.test(character)) return /\p{Script=Mongolian}$/u.test(before);
      return /[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u.test(character) && /\p{Script=Han}$/u.test(before);
  }
}

const LETTER_BEFORE = /[\p{L}\p{M}]$/u;
const LETTER_AFTER = /^[\p{L}\p{M}]/u;
const RIGHT_TO_LEFT = /[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}]/u;
/** Scripts written without spaces, in which U+200B marks where a line may break. */
const UNSPACED =
  /[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}]$/u;

/** Whether the hidden character at `at` is there for typesetting: hyphenation, line breaks, order of writing, pages. */
function isTypesetting(character: string, at: number, text: string, hasRightToLeft: () => boolean): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + 1, at + 3);
  switch (character) {
    case '\u00ad':
      return LETTER_BEFORE.test(before) && LETTER_AFTER.test(after);
    case '\u200b':
      return UNSPACED.test(before);
    case '\u200e':
    case '\u200f':
    case '\u061c':
      return hasRightToLeft();
    case '\f':
      return /(?:^|[\r\n])$/.test(before) || /^(?:$|[\r\n])/.test(after);
    case '\u115f':
    case '\u1160':
      return /\p{Script=Hangul}$/u.test(before) || /^\p{Script=Hangul}/u.test(after);
    default:
      return false;
  }
}

/** Kinds of characters named in a warning. */
const MOST_KINDS = 3;

/**
 * What does not show in `text`, in words such as `3 invisible characters (U+200B)`; white space, and what spelling and
 * typesetting need, is left out.
 */
export function hiddenIn(text: string): string[] {
  let escapes = 0;
  let rightToLeft: boolean | undefined;
  const hasRightToLeft = (): boolean => (rightToLeft ??= RIGHT_TO_LEFT.test(text));
  const groups = { control: new Map<string, number>(), invisible: new Map<string, number>() };
  for (const { 0: character, index } of text.matchAll(IN_TEXT)) {
    if (character === '\u001b') escapes += 1;
    else if (!isSpelling(character, index, text) && !isTypesetting(character, index, text, hasRightToLeft)) {
      const kinds = groups[/\p{Cc}/u.test(character) ? 'control' : 'invisible'];
      kinds.set(character, (kinds.get(character) ?? 0) + 1);
    }
  }
  const words = Object.entries(groups).flatMap(([group, kinds]) => {
    if (kinds.size === 0) return [];
    const all = [...kinds.values()].reduce((sum, count) => sum + count, 0);
    const names = [...kinds.keys()].slice(0, MOST_KINDS).map(codePoint);
    const more = kinds.size > MOST_KINDS ? ' and others' : '';
    return [`${plural(all, `${group} character`)} (${names.join(', ')}${more})`];
  });
  return escapes === 0 ? words : [...words, plural(escapes, 'terminal escape sequence')];
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
