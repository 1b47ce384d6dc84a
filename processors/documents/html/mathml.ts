// Converts formulas of a web page to TeX: the TeX included in the page if present, else from its MathML. Supports the
// common elements of presentation MathML.

import { ACCENTS, FUNCTIONS, joinLatex, mathSymbol } from '../math-symbol.ts';
import type { HtmlNode } from './node.ts';

/** A formula without its dollar signs. */
export interface Formula {
  readonly tex: string;
  /** True if it has a line of its own. */
  readonly display: boolean;
}

const MAX_NODES = 20_000;
const MAX_DEPTH = 100;
const MAX_TEX = 50_000;

/** The formula in a `math` element; undefined if it is empty. */
export function formulaOf(math: HtmlNode): Formula | undefined {
  const display = math.get('display') === 'block' || (math.get('mode') ?? '') === 'display';
  const tex =
    annotationOf(math) ?? math.get('alttext') ?? math.get('data-latex') ?? new MathWalk().row(math, 0);
  const clean = tidyTex(tex);
  return clean === '' ? undefined : { tex: clean, display };
}

/** True if the surrounding elements put the formula on a line of its own. */
export function isDisplayed(math: HtmlNode): boolean {
  const isWrapper = (at: HtmlNode): boolean =>
    at.get('display') === 'true' || / (?:katex-display|mwe-math-element-block) /.test(at.classes);
  return math.around(isWrapper, 3) !== undefined;
}

/** TeX on one line, without MediaWiki's wrapper. */
export function tidyTex(tex: string): string {
  let text = tex.slice(0, MAX_TEX).replace(/\s+/g, ' ').trim();
  const styled = /^\{\\(?:displaystyle|textstyle|scriptstyle) ?(.*)\}$/.exec(text);
  if (styled?.[1] !== undefined && isBalanced(styled[1])) text = styled[1].trim();
  return text;
}

function isBalanced(tex: string): boolean {
  let depth = 0;
  for (let at = 0; at < tex.length; at += 1) {
    const char = tex[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function annotationOf(math: HtmlNode): string | undefined {
  let seen = 0;
  for (let node = math.first; node && seen < MAX_NODES; node = following(node, math)) {
    seen += 1;
    if (node.name !== 'annotation') continue;
    if (/tex/i.test(node.get('encoding') ?? '')) return textOf(node);
  }
  return undefined;
}

function following(node: HtmlNode, top: HtmlNode): HtmlNode | undefined {
  if (node.first) return node.first;
  let at: HtmlNode | undefined = node;
  while (at && at !== top) {
    if (at.next) return at.next;
    at = at.parent;
  }
  return undefined;
}

function textOf(top: HtmlNode): string {
  let text = '';
  for (let node = top.first, seen = 0; node && seen < MAX_NODES; node = following(node, top), seen += 1)
    if (node.name === '') text += node.text;
  return text.trim();
}

class MathWalk {
  #nodes = 0;

  /** The children of `node` in sequence. */
  row(node: HtmlNode, depth: number): string {
    const parts: string[] = [];
    for (let child = node.first; child; child = child.next) {
      const part = this.#one(child, depth + 1);
      if (part !== '') parts.push(part);
    }
    return joinLatex(parts);
  }

  #one(node: HtmlNode, depth: number): string {
    this.#nodes += 1;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) return '';
    if (node.name === '') return node.text.trim();
    const arg = (at: number): string => this.#argument(node, at, depth);
    switch (node.name) {
      case 'mi':
      case 'mo':
      case 'mn': {
        const text = textOf(node);
        return FUNCTIONS.has(text) ? `\\${text}` : symbols(text, node.name);
      }
      case 'mtext':
      case 'ms': {
        const text = textOf(node);
        return text === '' ? '' : `\\text{${text}}`;
      }
      case 'mspace':
        return '\\,';
      case 'mfrac':
        return `\\frac{${arg(0)}}{${arg(1)}}`;
      case 'msqrt':
        return `\\sqrt{${this.row(node, depth)}}`;
      case 'mroot':
        return `\\sqrt[${arg(1)}]{${arg(0)}}`;
      case 'msup':
        return `${base(arg(0))}^{${arg(1)}}`;
      case 'msub':
        return `${base(arg(0))}_{${arg(1)}}`;
      case 'msubsup':
      case 'munderover':
        return `${base(arg(0))}_{${arg(1)}}^{${arg(2)}}`;
      case 'munder':
        return `${base(arg(0))}_{${arg(1)}}`;
      case 'mover': {
        const over = this.#child(node, 1);
        const accent = over ? ACCENTS.get(textOf(over)) : undefined;
        return accent === undefined ? `${base(arg(0))}^{${arg(1)}}` : `\\${accent}{${arg(0)}}`;
      }
      case 'menclose':
        return node.get('notation') === 'top'
          ? `\\overline{${this.row(node, depth)}}`
          : this.row(node, depth);
      case 'mfenced':
        return `${node.get('open') ?? '('}${this.row(node, depth)}${node.get('close') ?? ')'}`;
      case 'mtable':
        return `\\begin{matrix} ${this.#rows(node, depth)} \\end{matrix}`;
      case 'annotation':
      case 'annotation-xml':
      case 'mphantom':
        return '';
      default:
        return this.row(node, depth);
    }
  }

  #rows(table: HtmlNode, depth: number): string {
    const rows: string[] = [];
    for (let row = table.first; row; row = row.next) {
      if (row.name !== 'mtr' && row.name !== 'mlabeledtr') continue;
      const cells: string[] = [];
      for (let cell = row.first; cell; cell = cell.next)
        if (cell.name === 'mtd') cells.push(this.row(cell, depth + 1));
      rows.push(cells.join(' & '));
    }
    return rows.join(' \\\\ ');
  }

  #child(node: HtmlNode, at: number): HtmlNode | undefined {
    let left = at;
    for (let child = node.first; child; child = child.next) {
      if (child.name === '') continue;
      if (left === 0) return child;
      left -= 1;
    }
    return undefined;
  }

  #argument(node: HtmlNode, at: number, depth: number): string {
    const child = this.#child(node, at);
    return child ? this.#one(child, depth + 1) : '';
  }
}

/** The base of an index: braces around more than one symbol. */
function base(tex: string): string {
  return tex.length <= 1 || /^\\[A-Za-z]+$/.test(tex) ? tex : `{${tex}}`;
}

function symbols(text: string, kind: string): string {
  const tex = joinLatex([...text].map(mathSymbol));
  return kind === 'mi' && /^[A-Za-z]{2,}$/.test(tex) ? `\\mathrm{${tex}}` : tex;
}
