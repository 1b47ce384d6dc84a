// Converts a formula in Office Math Markup (ECMA-376 part 1, 22.1) to LaTeX supported by KaTeX and MathJax. Keeps every
// character; drops formatting without a common LaTeX equivalent.

import { formulaSpan, type Inline } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { ACCENTS, FUNCTIONS, joinLatex, mathSymbol } from '../math-symbol.ts';
import { isOff, isOn, lettersLatex, property, runLatex } from './equation-run.ts';

/** LaTeX on one line for an `oMath` or `oMathPara`, without dollar signs; `''` for an empty formula. */
export function equationLatex(element: XmlElement): string {
  if (element.name !== 'oMathPara') return children(element).trim();
  const lines = element
    .elements('oMath')
    .map((one) => children(one).trim())
    .filter((line) => line !== '');
  return lines.length > 1 ? `\\begin{gathered}${lines.join(' \\\\ ')}\\end{gathered}` : (lines[0] ?? '');
}

/** An `oMath`, or on a line of its own an `oMathPara`; `''` for an empty formula. */
export const equationText = (element: XmlElement): Inline =>
  formulaSpan(equationLatex(element), element.name === 'oMathPara');

/** Property elements and deleted text, which show nothing. */
const SILENT: ReadonlySet<string> = new Set(['del', 'moveFrom', 'rPr', 'ctrlPr', 'instrText', 'delText']);

function children(element: XmlElement | undefined): string {
  return element === undefined ? '' : joinLatex(element.elements().map(convert));
}

function convert(element: XmlElement): string {
  const { name } = element;
  if (SILENT.has(name) || (name.length > 2 && name.endsWith('Pr'))) return '';
  switch (name) {
    case 'r':
      return runLatex(element);
    case 't':
      return lettersLatex(element.text(), false);
    case 'f':
      return fraction(element);
    case 'sSup':
      return scripts(element, undefined, 'sup');
    case 'sSub':
      return scripts(element, 'sub', undefined);
    case 'sSubSup':
      return scripts(element, 'sub', 'sup');
    case 'sPre':
      return `{}${script('_', inside(element, 'sub'))}${script('^', inside(element, 'sup'))}${base(element)}`;
    case 'rad': {
      const degree = isOn(element, 'radPr', 'degHide') ? '' : inside(element, 'deg');
      return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${inside(element, 'e')}}`;
    }
    case 'nary':
      return nary(element);
    case 'd':
      return delimited(element);
    case 'func':
      return functionOf(element);
    case 'limLow':
      return limit(element, '_', 'underset');
    case 'limUpp':
      return limit(element, '^', 'overset');
    case 'acc':
      return accent(element);
    case 'bar':
      return `\\${property(element, 'barPr', 'pos') === 'top' ? 'overline' : 'underline'}{${inside(element, 'e')}}`;
    case 'groupChr':
      return grouped(element);
    case 'borderBox':
      return `\\boxed{${inside(element, 'e')}}`;
    case 'phant':
      return isOff(element, 'phantPr', 'show') ? `\\phantom{${inside(element, 'e')}}` : inside(element, 'e');
    case 'm':
      return `\\begin{matrix}${matrixRows(element)}\\end{matrix}`;
    case 'eqArr':
      return element.elements('e').length > 1
        ? `\\begin{aligned}${arrayRows(element)}\\end{aligned}`
        : arrayRows(element);
    default:
      return children(element);
  }
}

function inside(element: XmlElement, name: string): string {
  return children(element.child(name)).trim();
}

function fraction(element: XmlElement): string {
  const top = inside(element, 'num');
  const bottom = inside(element, 'den');
  switch (property(element, 'fPr', 'type')) {
    case 'lin':
    case 'skw':
      return `${simple(top)}/${simple(bottom)}`;
    case 'noBar':
      return `\\genfrac{}{}{0pt}{}{${top}}{${bottom}}`;
    default:
      return `\\frac{${top}}{${bottom}}`;
  }
}

/** In braces unless it is one character or one run of digits. */
function simple(latex: string): string {
  return /^(?:[^\\]|\d+|\\[A-Za-z]+)?$/u.test(latex) ? latex : `{${latex}}`;
}

/** The base of a script: in braces if it is more than one symbol. */
function base(element: XmlElement): string {
  const latex = inside(element, 'e');
  if (
    /^(?:.|\\[A-Za-z]+|\d+|\\(?:mathbb|mathbf|mathcal|mathfrak|mathrm|boldsymbol|text)\{[^{}]*\})?$/u.test(
      latex,
    )
  )
    return latex === '' ? '{}' : latex;
  const only = element
    .child('e')
    ?.elements()
    .filter((child) => child.name !== 'ctrlPr');
  if (only?.length === 1 && only[0]?.name === 'd' && latex.startsWith('\\left')) return latex;
  return `{${latex}}`;
}

function scripts(element: XmlElement, sub: string | undefined, sup: string | undefined): string {
  const below = sub === undefined ? '' : script('_', inside(element, sub));
  const above = sup === undefined ? '' : script('^', inside(element, sup));
  return `${base(element)}${below}${above}`;
}

function script(mark: '_' | '^', latex: string): string {
  return latex === '' ? '' : `${mark}{${latex}}`;
}

function nary(element: XmlElement): string {
  const operator = mathSymbol(property(element, 'naryPr', 'chr') ?? '∫');
  const sub = isOn(element, 'naryPr', 'subHide') ? '' : inside(element, 'sub');
  const sup = isOn(element, 'naryPr', 'supHide') ? '' : inside(element, 'sup');
  const around = property(element, 'naryPr', 'limLoc');
  const limits =
    around === 'undOvr' && operator.endsWith('int') && (sub !== '' || sup !== '') ? '\\limits' : '';
  return joinLatex([`${operator}${limits}${script('_', sub)}${script('^', sup)}`, inside(element, 'e')]);
}

/** Brackets as arguments of `\left` and `\right`; a dot for none. */
function bracket(char: string): string {
  if (char === '') return '.';
  if (char === '<' || char === '⟨') return '\\langle';
  if (char === '>' || char === '⟩') return '\\rangle';
  return char === '|' || char === '∣' ? '|' : mathSymbol(char);
}

const MATRICES: Readonly<Record<string, string>> = {
  '()': 'pmatrix',
  '[]': 'bmatrix',
  '{}': 'Bmatrix',
  '||': 'vmatrix',
  '‖‖': 'Vmatrix',
};

function delimited(element: XmlElement): string {
  const open = property(element, 'dPr', 'begChr') ?? '(';
  const close = property(element, 'dPr', 'endChr') ?? ')';
  const separator = property(element, 'dPr', 'sepChr') ?? '|';
  const parts = element.elements('e');
  const only =
    parts.length === 1 ? parts[0]?.elements().filter((child) => child.name !== 'ctrlPr') : undefined;
  const inner = only?.length === 1 ? only[0] : undefined;
  if (inner?.name === 'm') {
    const matrix = MATRICES[`${open}${close}`];
    if (matrix !== undefined) return `\\begin{${matrix}}${matrixRows(inner)}\\end{${matrix}}`;
  }
  if (inner?.name === 'eqArr' && open === '{' && close === '')
    return `\\begin{cases}${arrayRows(inner)}\\end{cases}`;
  if (inner?.name === 'f' && open === '(' && close === ')' && property(inner, 'fPr', 'type') === 'noBar')
    return `\\binom{${inside(inner, 'num')}}{${inside(inner, 'den')}}`;
  const middle = separator === '|' ? ' \\middle| ' : mathSymbol(separator);
  return joinLatex([
    `\\left${bracket(open)}`,
    parts.map((part) => children(part).trim()).join(middle),
    `\\right${bracket(close)}`,
  ]);
}

function functionOf(element: XmlElement): string {
  const name = inside(element, 'fName');
  const plain = /^(?:\\mathrm\{)?([A-Za-z]{2,})\}?$/.exec(name)?.[1];
  const called =
    plain === undefined ? name : FUNCTIONS.has(plain) ? `\\${plain}` : `\\operatorname{${plain}}`;
  return joinLatex([called, inside(element, 'e')]);
}

function limit(element: XmlElement, mark: string, around: string): string {
  const target = inside(element, 'e');
  const lim = inside(element, 'lim');
  const word = /^(?:\\(?:mathrm|text)\{)?\\?([A-Za-z]{2,})\}?$/.exec(target)?.[1];
  if (word !== undefined && FUNCTIONS.has(word)) return `\\${word}${mark}{${lim}}`;
  if (/\\(?:under|over)(?:brace|line)\{.*\}$/s.test(target) || /^\\(?:sum|prod|bigcup|bigcap)$/.test(target))
    return `${target}${mark}{${lim}}`;
  const upright = /^\\(?:mathrm|text)\{([A-Za-z]{2,})\}$/.exec(target)?.[1];
  if (upright !== undefined) return `\\operatorname*{${upright}}${mark}{${lim}}`;
  return `\\${around}{${lim}}{${target}}`;
}

function accent(element: XmlElement): string {
  const char = property(element, 'accPr', 'chr') ?? '\u0302';
  const target = inside(element, 'e');
  const name = ACCENTS.get(char);
  if (name === undefined) return char === '' ? target : `\\overset{${mathSymbol(char)}}{${target}}`;
  const wide = [...target.replace(/\\[A-Za-z]+/g, 'x')].length > 1;
  const stretched = wide && (name === 'hat' || name === 'tilde') ? `wide${name}` : name;
  return `\\${wide && name === 'bar' ? 'overline' : wide && name === 'vec' ? 'overrightarrow' : stretched}{${target}}`;
}

function grouped(element: XmlElement): string {
  const char = property(element, 'groupChrPr', 'chr') ?? '⏟';
  const target = inside(element, 'e');
  const top = property(element, 'groupChrPr', 'pos') === 'top';
  if (char === '⏟' || char === '︸') return `\\underbrace{${target}}`;
  if (char === '⏞' || char === '︷') return `\\overbrace{${target}}`;
  return char === '' ? target : `\\${top ? 'overset' : 'underset'}{${mathSymbol(char)}}{${target}}`;
}

function matrixRows(element: XmlElement): string {
  return element
    .elements('mr')
    .map((row) =>
      row
        .elements('e')
        .map((cell) => children(cell).trim())
        .join(' & '),
    )
    .join(' \\\\ ');
}

/** In an equation array `&` alternates between alignment and spacing (ECMA-376 22.1.2.34); one kind is enough here. */
function arrayRows(element: XmlElement): string {
  return element
    .elements('e')
    .map((line) => children(line).trim().replaceAll('\\&', '&'))
    .join(' \\\\ ');
}
