// Objects embedded in an OpenDocument: formulas become TeX, charts their data table. They are separate parts and are
// read ahead, so that the walk over the text stays synchronous.

import { formulaSpan, memberMark } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import { readXml } from '../../../src/package/index.ts';
import { formulaOf } from '../html/mathml.ts';
import type { HtmlNode } from '../html/node.ts';
import { parseHtml } from '../html/tree.ts';
import { controlsOf } from './controls.ts';
import type { OdfPackage } from './package.ts';

/** What an object is. */
type Found =
  | { readonly kind: 'formula'; readonly text: string }
  | { readonly kind: 'chart'; readonly root: XmlElement }
  | { readonly kind: 'other' };

/** Maximum objects read per section. */
const MAX_OBJECTS = 2000;
const MAX_LOOKED_AT = 200_000;

/** The objects of one section, by the element that shows them. */
export class Embedded {
  readonly #package: OdfPackage;
  readonly #signal: AbortSignal;
  readonly #found = new Map<XmlElement, Found>();
  readonly #controls = new Map<string, string>();

  constructor(pack: OdfPackage, signal: AbortSignal) {
    this.#package = pack;
    this.#signal = signal;
  }

  /** Reads the objects inside `element`, which is walked afterwards. */
  async load(element: XmlElement): Promise<void> {
    const stack = [element];
    let seen = 0;
    for (let at = stack.pop(); at && seen < MAX_LOOKED_AT; at = stack.pop()) {
      seen += 1;
      if (at.name === 'forms') for (const [id, shown] of controlsOf(at)) this.#controls.set(id, shown);
      for (const node of at.children) {
        if (typeof node === 'string') continue;
        const object = node.name === 'object' || node.name === 'math';
        if (object && this.#found.size < MAX_OBJECTS) this.#found.set(node, await this.#read(node));
        else stack.push(node);
      }
    }
  }

  /** Discards what was read; call it between elements that share no objects. */
  clear(): void {
    this.#found.clear();
  }

  /** The formula a frame shows, as inline content; undefined if it shows something else. */
  formula(frame: XmlElement): string | undefined {
    for (const object of frame.elements('object')) {
      const found = this.#found.get(object);
      if (found?.kind === 'formula') return found.text;
    }
    return undefined;
  }

  /** Root element of the chart a frame shows. */
  chart(frame: XmlElement): XmlElement | undefined {
    for (const object of frame.elements('object')) {
      const found = this.#found.get(object);
      if (found?.kind === 'chart') return found.root;
    }
    return undefined;
  }

  /** What a form control shows, as inline content. */
  control(place: XmlElement): string {
    return this.#controls.get(place.get('draw:control') ?? place.get('control') ?? '') ?? '';
  }

  /** The target of `href`: a member mark, an external address, or `''` if it is missing. */
  target(href: string): string {
    const name = this.#package.member(href);
    if (name !== undefined) return memberMark(name);
    if (this.#package.flat || /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(href)) return href;
    // The package counts as a folder: a file next to the document is one level up (ODF 1.3 part 2, 3.7).
    return href.startsWith('../') ? href.slice(3) : '';
  }

  /** A `math` element in the text itself. */
  math(element: XmlElement): string {
    const found = this.#found.get(element);
    return found?.kind === 'formula' ? found.text : '';
  }

  async #read(object: XmlElement): Promise<Found> {
    // A flat file contains objects where they are shown.
    const inside = object.name === 'math' ? object : object.elements()[0];
    if (inside) return this.#inside(inside);
    const href = object.get('href');
    const xml = href === undefined ? undefined : await this.#package.object(href);
    if (xml === undefined) return { kind: 'other' };
    if (/<(?:[\w.-]+:)?math[\s>]/.test(xml.slice(0, 20_000))) return this.#formula(xml);
    return xml.includes('plot-area') ? { kind: 'chart', root: readXml(xml) } : { kind: 'other' };
  }

  async #inside(root: XmlElement): Promise<Found> {
    if (first(root, 'plot-area')) return { kind: 'chart', root };
    const math = root.name === 'math' ? root : first(root, 'math');
    return math ? this.#formula(markup(math)) : { kind: 'other' };
  }

  async #formula(xml: string): Promise<Found> {
    const { nodes } = await parseHtml(xml.replace(/<(\/?)[\w.-]+:/g, '<$1'), {
      signal: this.#signal,
      xml: true,
    });
    const math = nodes.find((node: HtmlNode) => node.name === 'math');
    const tex = (math && formulaOf(math)?.tex) ?? '';
    return tex === '' ? { kind: 'other' } : { kind: 'formula', text: formulaSpan(tex) };
  }
}

function first(root: XmlElement, name: string): XmlElement | undefined {
  for (const found of root.descendants(name)) return found;
  return undefined;
}

/** Serialises a small tree as XML. */
function markup(element: XmlElement): string {
  let inside = '';
  for (const node of element.children) inside += typeof node === 'string' ? escaped(node) : markup(node);
  let attributes = '';
  for (const [name, value] of element.attributes)
    if (!name.includes(':')) attributes += ` ${name}="${escaped(value)}"`;
  return `<${element.name}${attributes}>${inside}</${element.name}>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
