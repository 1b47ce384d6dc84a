// A run of an Office Math formula (ECMA-376 part 1, 22.1.2.87) as LaTeX. `equation.ts` handles the structure around
// runs.

import type { XmlElement } from '../../../src/package/index.ts';
import { FUNCTIONS, joinLatex, mathSymbol } from '../math-symbol.ts';

/** An `r` with its style: symbols and scripts as LaTeX, words in their alphabet, plain text as text. */
export function runLatex(element: XmlElement): string {
  const text = element
    .elements()
    .map((child) => (child.name === 't' ? child.text() : /^(?:br|cr|tab)$/.test(child.name) ? ' ' : ''))
    .join('');
  if (text === '') return '';
  if (isOn(element, 'rPr', 'nor')) return plainText(text);
  const style = property(element, 'rPr', 'sty');
  const word = text.trim();
  if (FUNCTIONS.has(word)) return `${text.startsWith(' ') ? ' ' : ''}\\${word}`;
  const alphabet = ALPHABETS[property(element, 'rPr', 'scr') ?? ''];
  const written = lettersLatex(text, style === 'p');
  if (alphabet !== undefined && /^[A-Za-z\d]+$/.test(word)) return `\\${alphabet}{${word}}`;
  if ((style === 'b' || style === 'bi') && /[\p{L}\p{N}]/u.test(text) && word === text)
    return `\\${style === 'b' && /^[A-Za-z\d]+$/.test(word) ? 'mathbf' : 'boldsymbol'}{${written}}`;
  return written;
}

const ALPHABETS: Readonly<Record<string, string>> = {
  'double-struck': 'mathbb',
  fraktur: 'mathfrak',
  script: 'mathcal',
  'sans-serif': 'mathsf',
  monospace: 'mathtt',
};

/** Upright words keep their letters together, words their spaces; scripts typed as plain text (`x^2`) stay scripts. */
export function lettersLatex(text: string, upright: boolean): string {
  const pieces: string[] = [];
  const clean = text.replace(/[\p{Cc}\s]+/gu, ' ');
  for (const [piece, gap] of clean.matchAll(/[A-Za-z]{2,}|((?<=[A-Za-z]{2}) (?=[A-Za-z]{2}))|./gsu)) {
    if (gap !== undefined) pieces.push('\\ ');
    else if (/^[A-Za-z]{2}/.test(piece))
      pieces.push(FUNCTIONS.has(piece) ? `\\${piece}` : upright ? `\\mathrm{${piece}}` : piece);
    else pieces.push(piece);
  }
  return joinLatex(
    pieces.map((piece, at) => {
      if (piece === '^' || piece === '_')
        return isScripted(pieces[at - 1], pieces[at + 1]) ? piece : `\\${piece}${piece === '^' ? '{}' : ''}`;
      return piece.startsWith('\\') && piece.length > 1 ? piece : mathSymbol(piece);
    }),
  );
}

/** True if a script has both a base and content within this run. */
function isScripted(before: string | undefined, after: string | undefined): boolean {
  const mark = /^[\s^_]$/;
  return !(before !== undefined && mark.test(before)) && !(after !== undefined && mark.test(after));
}

/** Words inside a formula. */
function plainText(text: string): string {
  const safe = text
    .replace(/[\p{Cc}\s]/gu, ' ')
    .replace(/[\\{}$#%&_^~]/g, (char) =>
      char === '\\' ? '\\textbackslash{}' : char === '^' || char === '~' ? `\\${char}{}` : `\\${char}`,
    );
  return safe.trim() === '' ? safe : `\\text{${safe}}`;
}

/** The value of a property element inside `properties`. */
export function property(element: XmlElement, properties: string, name: string): string | undefined {
  return element.at(properties, name)?.get('val');
}

/** An on/off element (ECMA-376 22.9.2.7): on if present without a value. */
export function isOn(element: XmlElement, properties: string, name: string): boolean {
  const found = element.at(properties, name);
  return found !== undefined && !/^(?:0|off|false)$/.test(found.get('val') ?? '1');
}

export function isOff(element: XmlElement, properties: string, name: string): boolean {
  return element.at(properties, name) !== undefined && !isOn(element, properties, name);
}
