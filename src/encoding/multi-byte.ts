// Ranks the encodings with two bytes per character by how many characters of a text are in the frequent part of each,
// which works for a few words too.

/** The frequent characters: the first level of the standard's ideographs, kana and Hangul, as ranges of both bytes. */
const LEVELS: Readonly<Record<string, (lead: number, trail: number) => boolean>> = {
  // JIS X 0208: kana in rows 4 and 5, level 1 in rows 16 to 47; 長音 and marks in row 1.
  shift_jis: (lead, trail) =>
    (lead === 0x82 && trail >= 0x9f && trail <= 0xf1) ||
    (lead === 0x83 && trail >= 0x40 && trail <= 0x96) ||
    (lead === 0x81 && trail <= 0x7c) ||
    (lead >= 0x88 && lead <= 0x97) ||
    (lead === 0x98 && trail <= 0x72),
  // GB 2312 level 1 in rows 16 to 55, and its marks.
  gb18030: (lead, trail) =>
    trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xd7) || lead === 0xa1 || lead === 0xa3),
  // Big5 level 1, and its marks.
  big5: (lead) => (lead >= 0xa4 && lead <= 0xc6) || lead === 0xa1,
  // JIS X 0208, in other bytes.
  'euc-jp': (lead, trail) =>
    trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xcf) || [0xa1, 0xa4, 0xa5].includes(lead)),
  // KS X 1001: Hangul in rows 16 to 40, and its marks.
  'euc-kr': (lead, trail) => trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xc8) || lead === 0xa1),
};

/** How well an encoding fits: the share of the characters beyond ASCII that are frequent in it. */
export interface Fit {
  readonly name: string;
  readonly share: number;
  readonly characters: number;
  /** How many of these follow another one. */
  readonly joined: number;
}

/** Encodings in which all of `bytes` is valid, best first; on a tie, the narrower set of characters first. */
export function multiByteFits(bytes: Uint8Array): Fit[] {
  const fits: Fit[] = [];
  for (const name of ['euc-kr', 'shift_jis', 'big5', 'gb18030', 'euc-jp']) {
    const isFrequent = LEVELS[name];
    const text = new TextDecoder(name).decode(bytes);
    if (!isFrequent || text.includes('\ufffd')) continue;
    let characters = 0;
    let frequent = 0;
    let joined = 0;
    let end = -1;
    for (let at = 0; at < bytes.length; at += 1) {
      const lead = bytes[at] ?? 0;
      if (lead < 0x80) continue;
      characters += 1;
      if (at === end) joined += 1;
      end = at + 1;
      // Half-width katakana, in one byte.
      if (name === 'shift_jis' && lead >= 0xa1 && lead <= 0xdf) continue;
      at += 1;
      end = at + 1;
      if (isFrequent(lead, bytes[at] ?? 0)) frequent += 1;
    }
    if (characters > 0) fits.push({ name, share: frequent / characters, characters, joined });
  }
  return fits.sort((a, b) => b.share - a.share);
}
