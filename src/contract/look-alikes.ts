// Folds characters to the ASCII characters that a reader takes them for.

/**
 * Characters that look like an ASCII letter or sign: the single-character entries of Unicode's confusables.txt (UTS 39)
 * for the letters and signs of our notes, without accents, plus the Latin small capitals. Not listed are characters that
 * NFKD folds and those of scripts written from right to left.
 */
export const LOOK_ALIKES = {
  ':': 'ː˸։᛬᠃᠉⁚∶ꓽ꞉',
  '<': '˂ᐸᚲ‹',
  '=': '᐀≐≑≗≙≚≞⩮⹀゠꓿',
  '>': '˃ᐳ›𖼿',
  A: 'ΑАᎪᗅꓮ𐊠𖽀',
  B: 'ΒВᏴᗷꓐꞴ𐊂𐊡𐌁',
  C: 'СҪᏟⲤꓚ𐊢𐌂𐐕𐔜',
  D: 'ÐĐƉᎠᗞᗪꓓ',
  E: 'ɆΕЕᎬ⋿ⴹꓰ𐊆𑢦𑢮',
  F: 'ƑϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂',
  G: 'ǤԌᏀᏳꓖ',
  H: 'ĦΗНҢӇӉᎻᕼⱧⲎꓧ𐋏',
  K: 'ΚКҚҞᏦᛕⱩⲔꓗꝀ𐔘',
  L: 'ŁᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖',
  M: 'ΜϺМӍᎷᗰᛖⲘꓟ𐊰𐌑',
  N: 'ƝΝⲚꓠ𐔓',
  O: 'ØƟΘΟθОѲӨՕଠዐᎾᏫ⊖⊝ⲞⴱⵁⵔꓳꝊ𐊒𐊫𐐄𐓂𐔖𑢵',
  P: 'ΡРᏢᑭⲢꓑ𐊕',
  Q: 'ⵕ',
  R: 'ƦᎡᏒᖇꓣ𐒴𖼵',
  S: 'ЅՏᏕᏚꓢ𐊖𐐠𖼺',
  T: 'ŦƮȾΤТҬᎢ⊤⟙Ⲧꓔ𐊗𐊱𐌕𑢼𖼊',
  U: 'ɄՍሀᏌᑌ∪⋃ꓴ𐓎𑢸𖽂',
  V: 'ѴᏙᐯⴸꓦꛟ𐔝𑢠𖼈',
  W: 'ԜᎳᏔꓪ',
  X: 'ΧХҲᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧',
  Y: 'ɎΥУҮҰᎩᎽⲨꓬ𐊲𑢤𖽃',
  a: 'ɑαаᴀ',
  b: 'ƀƂƃƄɓʙБЬѢѣҌҍᏏᖯ',
  c: 'ȼсҫᴄⲥꮯ𐐽',
  d: 'đƌɖɗԁᏧᑯᴅꓒ',
  e: 'ɇеҽҿᴇꬲ',
  f: 'ƒքᵮẝꜰꞙꬵ',
  g: 'ɢ',
  h: 'ħɦʜћһհᏂᏲꚕ',
  i: 'ıɨɩɪιіӏᎥᵻᵼꙇꭵ𑣃',
  k: 'ᴋ',
  l: 'łƖƗƚǀɫɭʟΙІӀᛁ∣Ⲓⵏꓲ𐊊𐌉𖼨',
  m: 'ᴍ',
  n: 'ƞɳɴηոռᵰ',
  o: 'øɵοσоѳөօഠတဝჿᴏᴑⲟꝋꬽꬾꭴꮎꮻ𐐬𐓪𑣈𑣗',
  p: 'ᴘ',
  r: 'ɍɼɽʀгғᴦᵲⲅꭇꭈꮁ',
  s: 'ƽʂѕᵴꜱꮪ𐑈𑣁',
  t: 'ŧƭᴛᵵ',
  u: 'ʋυսᴜᵾꞟꭎꭒꮜ𐓶𑣘',
  v: 'ᴠ',
  w: 'ᴡ',
  y: 'ƴɏɣʏγуүұყᶌỿꭚ𑣜',
} as const;

const FOLDS: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([ascii, others]) =>
    [...others].map((other) => [other, ascii] as const),
  ),
);

/** Accents, and characters without a visible shape. */
const UNSEEN = /^[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u;

/** What `character` looks like, perhaps nothing: `N` for a full-width or a Greek one, a space for any white space. */
export function look(character: string): string {
  if (character >= ' ' && character <= '~') return character;
  if (/[\t\p{Zs}]/u.test(character)) return ' ';
  if (UNSEEN.test(character)) return '';
  let seen = '';
  for (const piece of character.normalize('NFKD'))
    if (!UNSEEN.test(piece)) seen += FOLDS.get(piece) ?? (piece > '~' && /\p{Ps}/u.test(piece) ? '[' : piece);
  return seen;
}
