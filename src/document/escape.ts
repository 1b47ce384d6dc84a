// Escapes plain text for Markdown: only where its meaning would change, to keep text readable. Knows no blocks except
// line starts that would create one.

const CONTROL = /(?![\n\t])\p{Cc}/u;
const CONTROLS = /(?![\n\t])\p{Cc}/gu;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const SPECIAL = /[\\`*_~<&[]/;

/** `text` without control characters except LF and tab; all line ends become LF. */
export function cleanText(text: string): string {
  const lines = /[\r\u0085\u2028\u2029]/.test(text) ? text.replace(LINE_ENDS, '\n') : text;
  return CONTROL.test(lines) ? lines.replace(CONTROLS, '') : lines;
}

/**
 * Clean plain text as inline Markdown: escapes markup. Linear time. Marks that need a partner are
 * searched in `clean` only, so pass a whole run; `partners` are the marks that will stand around it. The block
 * writers call `escapeLineStart` for line starts.
 */
export function escapeText(clean: string, partners: string = ''): string {
  if (!SPECIAL.test(clean)) return clean;
  const lonely = lonelyMarks(clean, partners);
  const linkable = clean.lastIndexOf('](');
  return clean.replace(/[\\`*_~<&[]/g, (mark, at: number) => {
    switch (mark) {
      case '\\':
        return isPunctuation(clean.charCodeAt(at + 1)) ? '\\\\' : mark;
      case '<':
        return /[A-Za-z/!?]/.test(clean.charAt(at + 1)) ? '\\<' : mark;
      case '&':
        return /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/.test(clean.slice(at, at + 34))
          ? '\\&'
          : mark;
      case '[':
        return at < linkable || clean.charAt(at + 1) === '^' ? '\\[' : mark;
      case '`':
        return lonely.includes(mark) ? mark : '\\`';
      default:
        return !lonely.includes(mark) && mayDelimit(clean, at, mark) ? `\\${mark}` : mark;
    }
  });
}

/** Marks that can have a partner: those of code and of styles. */
export const PAIRING_MARKS = '`*_~';

/** Marks that occur only once in `text` and not among `partners`, so that they cannot pair. */
function lonelyMarks(text: string, partners: string): string {
  let lonely = '';
  for (const mark of PAIRING_MARKS)
    if (!partners.includes(mark) && text.indexOf(mark) === text.lastIndexOf(mark)) lonely += mark;
  return lonely;
}

/**
 * True for a mark that may open or close emphasis (CommonMark 0.31, 6.2): not between spaces, `_` not inside a word.
 */
function mayDelimit(text: string, at: number, mark: string): boolean {
  let from = at;
  let to = at + 1;
  // Long runs of one mark (rules of underscores) are judged by their first characters.
  while (from > 0 && at - from < 64 && text[from - 1] === mark) from -= 1;
  while (to < text.length && to - at < 64 && text[to] === mark) to += 1;
  const before = from === 0 ? ' ' : text.charAt(from - 1);
  const after = to >= text.length ? ' ' : text.charAt(to);
  const openBefore = /\s/.test(before);
  const openAfter = /\s/.test(after);
  if (openBefore && openAfter) return false;
  return mark !== '_' || !(/[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after));
}

function isPunctuation(code: number): boolean {
  return (
    (code >= 33 && code <= 47) ||
    (code >= 58 && code <= 64) ||
    (code >= 91 && code <= 96) ||
    (code >= 123 && code <= 126)
  );
}

/**
 * Number of `mark` in a line of nothing else but spaces and tabs, otherwise 0. No regular expression, because the stack
 * of one overflows on millions of marks.
 */
function marksIn(line: string, mark: string): number {
  let marks = 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (character === mark) marks += 1;
    else if (character !== ' ' && character !== '\t') return 0;
  }
  return marks;
}

/** True for a thematic break, and for dashes that would make the line above a heading. */
function isRule(line: string): boolean {
  const mark = line.charAt(0);
  return mark !== '+' && marksIn(line, mark) >= (mark === '-' ? 1 : 3);
}

/** One line of inline Markdown, escaped if its start would make it a heading, list, quote, rule or fence. */
export function escapeLineStart(line: string): string {
  const text = line.trimStart();
  switch (text.charCodeAt(0)) {
    case 35: // #
      return /^#{1,6}(?:[ \t]|$)/.test(text) ? `\\${text}` : text;
    case 62: // >
      return `\\${text}`;
    case 43: // +
    case 45: // -
    case 42: // *
    case 95: // _
      return /^[-+*](?:[ \t]|$)/.test(text) || isRule(text) ? `\\${text}` : text;
    case 61: // =
      return marksIn(text.trimEnd(), '=') === text.trimEnd().length ? `\\${text}` : text;
    case 126: // ~
      return text.startsWith('~~~') ? `\\${text}` : text;
    case 96: // `
      return text.startsWith('```') && !/[^`]`/.test(text) ? `\\${text}` : text;
    case 91: // [
      return /^\[[^\]]{1,999}\]:/.test(text) && !text.startsWith('[^') ? `\\${text}` : text;
    default: {
      const number = /^\d{1,9}(?=[.)](?:[ \t]|$))/.exec(text);
      return number ? `${number[0]}\\${text.slice(number[0].length)}` : text;
    }
  }
}
