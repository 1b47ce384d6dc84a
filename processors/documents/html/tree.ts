// Parses an HTML document into a tree, like browsers as far as text is concerned: handles tags left open or closed out
// of order. No scripts, no styles; nothing is fetched.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { throwIfAborted } from '../../../src/contract/index.ts';
import {
  BLOCK,
  CLOSES_P,
  endScope,
  FORMATTING,
  HEAD_CONTENT,
  HEADING,
  IMPLIED_CLOSE,
  PARAGRAPH_SCOPE,
  VOID,
} from './elements.ts';
import { HtmlNode, type HtmlTree } from './node.ts';

/** Parser options. */
export interface ParseOptions {
  readonly signal: AbortSignal;
  /** `<div/>` is closed, as in XHTML. Default false. */
  readonly xml?: boolean;
}

/** Nodes take about 120 bytes each. */
const MAX_NODES = 2_500_000;
/** Deeper elements become part of the element at this depth (browsers do so at 512). */
const MAX_DEPTH = 512;
const MAX_ATTRIBUTES = 24;
const PIECE = 256 * 1024;
/** Documents inside documents inside ...; deeper ones are shown as their source. */
const MAX_INNER = 4;

const KEPT: ReadonlySet<string> = new Set(
  (
    'id class href src data alt title colspan rowspan start value type role hidden style lang language name content property ' +
    'itemprop http-equiv charset checked selected label placeholder display encoding alttext reversed width height align ' +
    'open summary srcset bgcolor color size border cellpadding data-src data-lazy-src data-original data-srcset data-lang ' +
    'data-language data-entry data-latex data-tex data-line data-footnote-ref data-footnote-backref aria-hidden aria-label aria-labelledby ' +
    'aria-modal aria-level epub:type datetime xml:lang dir multiple rel notation open close srcdoc shadowrootmode'
  ).split(' '),
);

/** Parses `html`, yielding to other tasks between chunks. @throws {ReaderError} ABORTED */
export async function parseHtml(html: string, options: ParseOptions): Promise<HtmlTree> {
  const builder = new TreeBuilder(html, options.xml === true);
  const tokenizer = new Tokenizer({ recognizeSelfClosing: options.xml === true }, builder);
  for (let at = 0; at < html.length && !builder.cut; at += PIECE) {
    throwIfAborted(options.signal);
    tokenizer.write(html.slice(at, at + PIECE));
    if (at + PIECE < html.length) await nextTurn();
  }
  if (!builder.cut) tokenizer.end();
  return { root: builder.root, nodes: builder.nodes, cut: builder.cut };
}

class TreeBuilder implements TokenizerCallbacks {
  readonly root: HtmlNode;
  readonly nodes: HtmlNode[];
  cut = false;
  readonly #html: string;
  readonly #xml: boolean;
  /** Number of documents around this one. */
  readonly #inner: number;
  readonly #stack: HtmlNode[];
  /** Number of open elements by name, so that an unmatched end tag costs nothing. */
  readonly #open = new Map<string, number>();
  /** Elements opened below the deepest level. */
  #over = 0;
  #foreign = 0;
  #tag = '';
  #attribute = '';
  #value = '';
  #attributes: string[] = [];

  /** `around` is the builder of the document in which this one is the content of `root`. */
  constructor(html: string, xml: boolean, root?: HtmlNode, around?: TreeBuilder) {
    this.#html = html;
    this.#xml = xml;
    this.root = root ?? new HtmlNode('#root', '', undefined, 0);
    this.nodes = around?.nodes ?? [this.root];
    this.#inner = around ? around.#inner + 1 : 0;
    this.#stack = [this.root];
  }

  isInForeignContext(): boolean {
    return this.#xml || this.#foreign > 0;
  }

  ontext(start: number, end: number): void {
    this.#text(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#text(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, offset: number): void {
    if (this.isInForeignContext()) this.#text(this.#html.slice(start, end - offset));
  }

  onopentagname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase();
    this.#tag = name === 'image' ? 'img' : localName(name);
    this.#attributes = [];
  }

  onattribname(start: number, end: number): void {
    const name = end - start > 24 ? '' : this.#html.slice(start, end).toLowerCase();
    this.#attribute = KEPT.has(name) && this.#attributes.length < 2 * MAX_ATTRIBUTES ? name : '';
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== '') this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== '') this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#attribute === '') return;
    // The first of duplicate attributes counts (HTML 13.2.5.33).
    for (let at = 0; at < this.#attributes.length; at += 2)
      if (this.#attributes[at] === this.#attribute) return;
    this.#attributes.push(this.#attribute, this.#value);
  }

  onopentagend(): void {
    this.#start(false);
  }

  onselfclosingtag(): void {
    this.#start(this.isInForeignContext());
  }

  onclosetag(start: number, end: number): void {
    const name = localName(this.#html.slice(start, end).trim().toLowerCase());
    if (name === 'br') {
      this.#add('br');
      return;
    }
    if (VOID.has(name)) return;
    if (this.#over > 0) {
      this.#over -= 1;
      return;
    }
    const top = this.#stack.at(-1);
    if (name === 'noframes' && top?.name === name && top.first?.name === '' && !top.first.next) {
      // Its content is markup for programs without frames, but is read as raw text.
      const { text } = top.first;
      top.first.text = '';
      this.#document(top, text);
    }
    this.#end(name);
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #text(text: string): void {
    const parent = this.#stack.at(-1) ?? this.root;
    // Browsers never show what is between the tags of an `iframe`.
    if (parent.name === 'style' || (parent.name === 'iframe' && parent !== this.root)) return;
    if (parent.name === 'script' && !(parent.get('type') ?? '').startsWith('math/')) return;
    const { last } = parent;
    if (last?.name === '') last.text += text;
    else this.#append(parent, new HtmlNode('', text, parent, this.nodes.length));
  }

  #start(selfClosed: boolean): void {
    const name = this.#tag;
    const attributes = this.#attributes;
    if (name === '' || name === 'html' || name === 'body') {
      this.#root(name, attributes);
      return;
    }
    if (!HEAD_CONTENT.has(name) && this.#foreign === 0) this.#end('head');
    if (CLOSES_P.has(name)) this.#end('p', PARAGRAPH_SCOPE);
    const implied = IMPLIED_CLOSE.get(name);
    for (const closed of implied?.closes ?? []) this.#end(closed, implied?.until, false);
    const top = this.#stack.at(-1);
    if (HEADING.has(name) && top && HEADING.has(top.name)) this.#pop();
    const isVoid = VOID.has(name);
    if (this.#stack.length >= MAX_DEPTH && !isVoid) {
      if (!selfClosed) this.#over += 1;
      return;
    }
    const node = this.#add(name);
    if (attributes.length > 0) node.attributes = attributes;
    const inner = name === 'iframe' ? node.get('srcdoc') : undefined;
    if (inner !== undefined) this.#document(node, inner);
    if (isVoid || selfClosed) return;
    this.#stack.push(node);
    this.#open.set(name, this.#count(name) + 1);
    if (name === 'svg' || name === 'math') this.#foreign += 1;
  }

  /** Reads a document inside this one as the content of `node`. */
  #document(node: HtmlNode, html: string): void {
    if (this.#inner >= MAX_INNER) {
      this.#append(node, new HtmlNode('', html, node, this.nodes.length));
      return;
    }
    const builder = new TreeBuilder(html, false, node, this);
    const tokenizer = new Tokenizer({}, builder);
    tokenizer.write(html);
    tokenizer.end();
    this.cut ||= builder.cut;
  }

  /** `html` and `body` are not nodes of the tree; their attributes are kept on the root. */
  #root(name: string, attributes: readonly string[]): void {
    if (name === 'body') this.#end('head');
    if (attributes.length > 0) this.root.attributes = [...(this.root.attributes ?? []), ...attributes];
  }

  /** Closes the innermost element of that name, unless one of `until` is in between. */
  #end(name: string, until = endScope(name), isFormatting = FORMATTING.has(name)): void {
    if (this.#count(name) === 0) return;
    for (let at = this.#stack.length - 1; at > 0; at -= 1) {
      const node = this.#stack[at];
      if (!node) return;
      if (node.name === name) {
        while (this.#stack.length > at) this.#pop();
        return;
      }
      if (until.has(node.name)) return;
      if (isFormatting && BLOCK.has(node.name)) {
        this.#unmark(name, at);
        return;
      }
    }
  }

  /** `<b><p>..</b>..</p>`: the mark would extend to the end of the parent, so it is removed. */
  #unmark(name: string, below: number): void {
    for (let at = below - 1; at > 0; at -= 1) {
      const node = this.#stack[at];
      if (node?.name !== name) continue;
      node.name = 'span';
      this.#open.set(name, this.#count(name) - 1);
      this.#open.set('span', this.#count('span') + 1);
      return;
    }
  }

  #pop(): void {
    const node = this.#stack.pop();
    if (!node) return;
    this.#open.set(node.name, this.#count(node.name) - 1);
    if (node.name === 'svg' || node.name === 'math') this.#foreign -= 1;
  }

  #count(name: string): number {
    return this.#open.get(name) ?? 0;
  }

  #add(name: string): HtmlNode {
    const parent = this.#stack.at(-1) ?? this.root;
    const node = new HtmlNode(name, '', parent, this.nodes.length);
    this.#append(parent, node);
    return node;
  }

  #append(parent: HtmlNode, node: HtmlNode): void {
    if (this.nodes.length >= MAX_NODES) {
      this.cut = true;
      return;
    }
    this.nodes.push(node);
    if (parent.last) parent.last.next = node;
    else parent.first = node;
    parent.last = node;
  }
}

/** Outlook writes `o:p`, XHTML may write `xhtml:p`; MathML and SVG may have prefixes too. */
function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 || colon === name.length - 1
    ? name
    : `${name.startsWith('o:') ? 'o-' : ''}${name.slice(colon + 1)}`;
}
