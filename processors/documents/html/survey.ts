// Statistics of a document, computed once: which elements are left out, the amount of text and link text in each
// element, and link targets.

import { cleanText } from '../../../src/document/index.ts';
import { DROPPED, HEADING } from './elements.ts';
import type { HtmlNode, HtmlTree } from './node.ts';
import { repeatedPictures } from './repeated-pictures.ts';
import { hidingOf, isSpacer, isUnseen, type TextStyle, textStyleOf } from './visibility.ts';

/** Why a node is left out. */
export const KEPT = 0;
/** Never text: scripts, styles, templates, duplicate renderings of formulas. */
export const NO_TEXT = 1;
export const HIDDEN = 2;
/** Navigation and the like, left out by `main-content.ts`. */
export const CHROME = 3;

/** Hidden text of a document. */
export interface HiddenText {
  readonly places: number;
  readonly characters: number;
  /** Its first words. */
  readonly start: string;
}

/** What an element contains at any depth; bits of `Survey.holds`. */
export const HOLDS_TABLE = 1;
export const HOLDS_HEADING = 2;
export const HOLDS_LIST = 4;
export const HOLDS_CODE = 8;
export const HOLDS_PICTURE = 16;

const HELD: ReadonlyMap<string, number> = new Map([
  ['table', HOLDS_TABLE],
  ['ul', HOLDS_LIST],
  ['ol', HOLDS_LIST],
  ['dl', HOLDS_LIST],
  ['pre', HOLDS_CODE],
  ['img', HOLDS_PICTURE],
  ['picture', HOLDS_PICTURE],
  ['video', HOLDS_PICTURE],
  ['iframe', HOLDS_PICTURE],
  ...[...HEADING.keys()].map((name): [string, number] => [name, HOLDS_HEADING]),
]);

const NO_STYLE: TextStyle = {};

const MAX_HIDDEN = 10_000;

/** The statistics of one document, by `HtmlNode.index`. */
export class Survey {
  readonly tree: HtmlTree;
  readonly skipped: Uint8Array;
  /** Characters of visible text. */
  readonly text: Int32Array;
  /** Characters of visible text in links. */
  readonly linked: Int32Array;
  /** `HOLDS_...` bits of the content. */
  readonly holds: Uint8Array;
  /** The first element of each `id` and `a name`. */
  readonly targets: ReadonlyMap<string, HtmlNode>;
  readonly #hiddenPlaces: readonly HtmlNode[];
  /** True if there is TeX in scripts: MathJax output is then a duplicate. */
  readonly hasTexScripts: boolean;

  constructor(tree: HtmlTree) {
    const { nodes } = tree;
    this.tree = tree;
    this.skipped = new Uint8Array(nodes.length);
    this.text = new Int32Array(nodes.length);
    this.linked = new Int32Array(nodes.length);
    this.holds = new Uint8Array(nodes.length);
    const targets = new Map<string, HtmlNode>();
    this.targets = targets;
    let hasTexScripts = false;
    for (const node of nodes) {
      const id = node.get('id') ?? (node.name === 'a' ? node.get('name') : undefined);
      if (id !== undefined && id !== '' && !targets.has(id)) targets.set(id, node);
      if (node.name === 'script' && node.first) hasTexScripts = true;
    }
    this.hasTexScripts = hasTexScripts;
    this.#dropNoText();
    for (const picture of repeatedPictures(nodes)) this.skipped[picture.index] = NO_TEXT;
    this.recount();
    this.#hiddenPlaces = this.#hide();
    if (this.#hiddenPlaces.length > 0) this.recount();
  }

  /** Leaves out `node` and its content. */
  skip(node: HtmlNode, reason: number): void {
    this.skipped[node.index] = reason;
  }

  textOf(node: HtmlNode): number {
    return this.text[node.index] ?? 0;
  }

  linkedOf(node: HtmlNode): number {
    return this.linked[node.index] ?? 0;
  }

  /** True if `node` contains any of `what` at any depth. */
  holdsAny(node: HtmlNode, what: number): boolean {
    return ((this.holds[node.index] ?? 0) & what) !== 0;
  }

  isSkipped(node: HtmlNode): boolean {
    return this.skipped[node.index] !== KEPT;
  }

  #dropNoText(): void {
    for (const node of this.tree.nodes) {
      const { name } = node;
      if (name === '') continue;
      // The title of a drawing is content; that of a page is in the metadata.
      const isInDrawing = name === 'title' && node.around((at) => at.name === 'svg') !== undefined;
      const isTex = name === 'script' && node.first !== undefined;
      if (
        (DROPPED.has(name) && !isTex) ||
        (name === 'title' && this.skipped[node.parent?.index ?? 0] === KEPT && !isInDrawing) ||
        isPageBreak(node) ||
        isSpacer(node) ||
        (this.hasTexScripts && isDrawnFormula(node))
      )
        this.skipped[node.index] = NO_TEXT;
    }
  }

  /** Counts again after elements were left out. Their text no longer counts for their ancestors. */
  recount(): void {
    const { nodes } = this.tree;
    this.text.fill(0);
    this.linked.fill(0);
    this.holds.fill(0);
    for (let at = nodes.length - 1; at > 0; at -= 1) {
      const node = nodes[at];
      if (!node) continue;
      if (node.name === '') this.text[at] = node.text.trim().length;
      if (this.skipped[at] !== KEPT) continue;
      if (node.name === 'a') this.linked[at] = this.text[at] ?? 0;
      const parent = node.parent?.index ?? 0;
      this.text[parent] = (this.text[parent] ?? 0) + (this.text[at] ?? 0);
      this.linked[parent] = (this.linked[parent] ?? 0) + (this.linked[at] ?? 0);
      this.holds[parent] = (this.holds[parent] ?? 0) | (this.holds[at] ?? 0) | (HELD.get(node.name) ?? 0);
    }
  }

  /** The hidden text that is not left out for another reason. */
  hidden(): HiddenText {
    let places = 0;
    let characters = 0;
    let text = '';
    for (const node of this.#hiddenPlaces) {
      if (this.#isInLeftOut(node)) continue;
      places += 1;
      characters += this.textOf(node);
      if (text.length < MAX_HIDDEN) text = `${text} ${this.#textFrom(node, MAX_HIDDEN)}`.trim();
    }
    return { places, characters, start: text.slice(0, MAX_HIDDEN) };
  }

  /** Number of pictures without a text that are left out because they are too small to be seen. */
  spacers(): number {
    return this.tree.nodes.filter((node) => isSpacer(node) && !this.#isInLeftOut(node)).length;
  }

  /** Words with characters inside that do not show, which the text is written without. */
  wordsWithUnseen(): string {
    let found = '';
    for (const node of this.tree.nodes) {
      if (node.name !== '' || !UNSEEN.test(node.text) || found.length > MAX_UNSEEN) continue;
      if (
        this.isSkipped(node) ||
        this.#isInLeftOut(node) ||
        node.around(({ name }) => name === 'pre' || name === 'textarea')
      )
        continue;
      for (const [word] of node.text.matchAll(UNSEEN_IN_WORD)) found += `${word} `;
    }
    return found;
  }

  #isInLeftOut(node: HtmlNode): boolean {
    return node.around((at) => this.isSkipped(at)) !== undefined;
  }

  #hide(): HtmlNode[] {
    const { nodes } = this.tree;
    const places: HtmlNode[] = [];
    const styles: (TextStyle | undefined)[] = [NO_STYLE];
    // Nodes inside an omitted element are covered by it.
    const inside = new Uint8Array(nodes.length);
    for (let at = 1; at < nodes.length; at += 1) {
      const node = nodes[at];
      if (!node) continue;
      const parent = node.parent?.index ?? 0;
      if (inside[parent] === 1 || this.skipped[parent] !== KEPT) {
        inside[at] = 1;
        continue;
      }
      if (this.skipped[at] !== KEPT) continue;
      const inherited = styles[parent] ?? NO_STYLE;
      if (node.name === '') {
        if (inherited === NO_STYLE || !isUnseen(inherited)) continue;
        this.skipped[at] = HIDDEN;
        if (this.textOf(node) > 0) places.push(node);
        continue;
      }
      const style = textStyleOf(node, inherited);
      if (style !== NO_STYLE) styles[at] = style;
      const hiding = hidingOf(node);
      if (hiding === 'no') continue;
      this.skipped[at] = hiding === 'hidden' ? HIDDEN : NO_TEXT;
      if (hiding === 'hidden' && this.textOf(node) > 0) places.push(node);
    }
    return places;
  }

  /** Up to `most` characters of the text in `node`. */
  #textFrom(node: HtmlNode, most: number): string {
    const { nodes } = this.tree;
    if (node.name === '') return cleanText(node.text).replace(/\s+/g, ' ').trim().slice(0, most);
    let text = '';
    for (let at = node.index + 1; at < nodes.length && text.length < most; at += 1) {
      const one = nodes[at];
      if (!one?.around((outer) => outer === node)) break;
      if (one.name === '' && !(one.parent && this.skipped[one.parent.index] === NO_TEXT))
        text += ` ${one.text}`;
    }
    return cleanText(text).replace(/\s+/g, ' ').trim().slice(0, most);
  }
}

/** Soft hyphen, zero width space and byte order mark, as `PageWriter` leaves them out. */
const UNSEEN = /[\u00ad\u200b\ufeff]/;
const UNSEEN_IN_WORD = /[\p{L}\p{M}](?:[\u00ad\u200b\ufeff]+[\p{L}\p{M}])+/gu;
/** Length of the words with such characters that are counted. */
const MAX_UNSEEN = 100_000;

/** A page break of the printed book. */
function isPageBreak(node: HtmlNode): boolean {
  return (
    node.attributes !== undefined &&
    (node.get('role') === 'doc-pagebreak' || / pagebreak /.test(` ${node.get('epub:type') ?? ''} `))
  );
}

function isDrawnFormula(node: HtmlNode): boolean {
  const classes = node.get('class');
  return classes !== undefined && /^MathJax(?:_Display|_SVG|_CHTML|_SVG_Display)?$/.test(classes.trim());
}
