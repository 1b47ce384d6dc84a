// Maps characters of Office's symbol fonts to Unicode: documents refer to them by font and code, which is meaningless
// without the font.

/** Adobe's Symbol encoding from 0x20 to 0x7e and from 0xa0 to 0xfe. */
const SYMBOL_LOW =
  ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼';
const SYMBOL_HIGH =
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ ⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭';

function table(pairs: string): ReadonlyMap<number, string> {
  return new Map(
    pairs.split(' ').map((pair) => [Number.parseInt(pair.slice(0, 2), 16), pair.slice(2)] as const),
  );
}

const WINGDINGS = table(
  '21✏ 22✂ 23✁ 28☎ 29✆ 2a✉ 36⌛ 37⌨ 3f✍ 41✌ 43👍 44👎 45☜ 46☞ 47☝ 48☟ 4a☺ 4b😐 4c☹ 4d💣 4e☠ 4f⚐ 51✈ 52☼ 54❄ 55✞ 57✠ ' +
    '58✡ 59☪ 5b☯ 6c● 6d❍ 6e■ 6f□ 70◻ 71❑ 72❒ 73⬧ 74⧫ 75◆ 76❖ 77⬥ 78⌧ 7a⌘ 7b❀ 7c✿ 7d❝ 7e❞ 80⓪ 81① 82② 83③ 84④ 85⑤ 86⑥ 87⑦ ' +
    '88⑧ 89⑨ 8a⑩ 8b⓿ 8c❶ 8d❷ 8e❸ 8f❹ 90❺ 91❻ 92❼ 93❽ 94❾ 95❿ 9e· 9f• a1○ a4◉ a5◎ a7▪ a8◻ ab★ ac✶ ad✴ ae✹ af✵ b2✧ ' +
    'b5✪ b6✰ b7🕐 d5⌫ d6⌦ d8➢ dc➲ df← e0→ e1↑ e2↓ e3↖ e4↗ e5↙ e6↘ e7← e8➔ e9↑ ea↓ ef⇦ f0⇨ f1⇧ f2⇩ f3⬄ f4⇳ fb✗ fc✓ fd☒ fe☑',
);
const WINGDINGS_2 = table('4f✗ 50✓ 51☒ 52☑ 53☒ 54☒ 95• 96● 97● 98⬤ 99○ 9f◼ a0■ a2□ a3□ aa◆ ae◇ 2a□ e5★ ec★');
const WEBDINGS = table('34▶ 33◀ 35▲ 36▼ 61✓ 63□ 67■ 6e● 72✗ 78✖ 97▪ 9d•');

/** True for a font of symbols rather than letters. */
export function isSymbolFont(font: string | undefined): boolean {
  return font !== undefined && /^(?:symbol|wingdings(?: [23])?|webdings)$/i.test(font.trim());
}

/**
 * The character for `code` in `font`; codes in the private use area (0xf000 to 0xf0ff) are the font's own. U+FFFD if
 * there is no known Unicode equivalent.
 */
export function symbolChar(font: string, code: number): string {
  const name = font.trim().toLowerCase();
  if (!isSymbolFont(name)) {
    const valid = code > 0x1f && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return valid ? String.fromCodePoint(code) : '\ufffd';
  }
  const own = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  if (own > 0xff)
    return own <= 0x10ffff && !(own >= 0xd800 && own <= 0xdfff) ? String.fromCodePoint(own) : '\ufffd';
  if (own === 0x20) return ' ';
  if (name === 'symbol') return (own < 0x80 ? SYMBOL_LOW[own - 0x20] : SYMBOL_HIGH[own - 0xa0]) ?? '\ufffd';
  const known = name === 'wingdings' ? WINGDINGS : name === 'wingdings 2' ? WINGDINGS_2 : WEBDINGS;
  return (name === 'wingdings 3' ? undefined : known.get(own)) ?? '\ufffd';
}
