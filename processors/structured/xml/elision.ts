// Decides what a view of XML leaves out under given limits. The view is the file's own text with marks, mostly comments,
// so that it is exact wherever it has no mark.

import { plural, safeCut, type Whole } from '../../../src/contract/index.ts';
import { Elider } from '../elider.ts';
import type { Elision, ElisionLimits } from '../elision.ts';
import { CUT_WORTH, itemWeight, membersAt, restText } from '../tree/shape.ts';
import { extendPath } from './node-test.ts';
import {
  AROUND_UNITS,
  BLANK_UNITS,
  type XmlAround,
  type XmlBody,
  type XmlElement,
  type XmlSpan,
  type XmlTree,
} from './tree.ts';

/** Units of a span that are not held. */
const hiddenOf = ({ from, to, of }: XmlSpan): number => of - (to - from);

export class XmlElider extends Elider {
  readonly #tree: XmlTree;
  /** Levels of elements in the tree. */
  readonly #depth: number;
  #levels = 0;
  /** Child elements of the root that are shown. */
  #children: number;

  constructor(tree: XmlTree, glyph: string, depth: number, limits: ElisionLimits) {
    super({ source: tree.text, glyph }, limits);
    this.#tree = tree;
    this.#depth = depth;
    this.#children = tree.root.children;
  }

  protected elide(): void {
    const { before, root, after } = this.#tree;
    this.#around(before, 'before');
    this.#element(root, 1, 1);
    this.#around(after, 'after');
  }

  override run(): Elision {
    const { shown, wholes, ...elision } = super.run();
    const { children: of, path: name } = this.#tree.root;
    const root: Whole = of > 0 ? { unit: 'element', of, name } : { unit: 'element', of: 1, name: '' };
    const level: Whole = { unit: 'level', of: this.#depth, name };
    const levels = this.#depth > this.#levels && this.#levels > 1 ? [level] : [];
    const to = of > 0 ? this.#children : 1;
    return {
      ...elision,
      shown: [
        ...(to > 0 ? [{ ...root, from: 1, to }] : []),
        ...shown,
        ...levels.map((whole) => ({ ...whole, from: 1, to: this.#levels })),
      ],
      wholes: [root, ...wholes, ...levels],
    };
  }

  #mark(at: number, text: string): void {
    this.insert(at, this.#comment(text));
  }

  #comment(text: string): string {
    return this.limits.quiet ? '' : `<!-- ${this.glyph} ${text} -->`;
  }

  #element(element: XmlElement, level: number, weight: number): void {
    this.#levels = Math.max(this.#levels, level);
    this.#attributes(element, weight);
    const names = new Map<string, number>();
    let children = 0;
    let others = 0;
    for (const [index, item] of element.items.entries()) {
      this.arrive(item.start);
      const isElement = item.kind === 'element';
      // Mixed content alternates text and elements, so it has at most one more text than elements.
      if (isElement ? children >= this.#allowed(level) : !item.blank && others > 2 * this.limits.items) {
        this.#leaveOut(element, index, children, others, weight);
        return;
      }
      if (isElement) {
        children++;
        const alike = names.get(item.name) ?? 0;
        names.set(item.name, alike + 1);
        this.#element(item, level + 1, weight * itemWeight(alike));
      } else {
        if (!item.blank) {
          others++;
          this.tell(weight);
        }
        this.#body(item);
      }
    }
    if (element.rest) this.#leaveOut(element, element.items.length, children, others, weight);
  }

  /** Child elements that an element at `level` shows. */
  #allowed(level: number): number {
    return level < this.limits.depth ? membersAt(this.limits, 'array', level) : 0;
  }

  /** Leaves out the content of an element from item `index` on. */
  #leaveOut(element: XmlElement, index: number, children: number, others: number, weight: number): void {
    const { items, rest, close, children: of, path } = element;
    const next = items[index];
    const from = next?.start ?? rest?.from ?? close;
    let to = close;
    while (to > from && ' \t\r\n'.includes(this.source[to - 1] ?? 'x')) to--;
    const hidden = of - children;
    if (children + others === 0) this.tell(weight * CUT_WORTH);
    let text: string;
    if (hidden > 0) text = `${restText(hidden, 'element', children)}${others > 0 ? ' and text' : ''}`;
    else {
      const left = [...items.slice(index), ...(rest ? [rest] : [])];
      const units = left.reduce((sum, one) => sum + ('of' in one ? hiddenOf(one) : 0), to - from);
      text = plural(units, 'more character');
      // No element is missing.
      this.#report('character', `${path}, after element ${of}`, 0, units);
    }
    if (element === this.#tree.root) this.#children = children;
    else if (hidden > 0) this.#report('element', path, children, of);
    const members = { unit: 'element', first: children + 1, of } as const;
    this.cut(from, to, this.#comment(text), path, members);
  }

  /** Reports a place that was cut, unless its shortened path may be ambiguous. */
  #report(unit: 'element' | 'character' | 'key', name: string, to: number, of: number): void {
    if (!name.includes('…')) this.report({ unit, name, to, of, always: true });
  }

  /** Shortens a text, comment, CDATA section or processing instruction to the limit. */
  #body(body: XmlBody): void {
    const { kind, from, to, of, path, blank, end } = body;
    const limit = blank ? Math.max(BLANK_UNITS, this.limits.string) : this.limits.string;
    if (of <= limit) return;
    const shown = blank ? 0 : this.#prefix(body, limit, kind === 'text');
    const { glyph } = this;
    const hidden = plural(of - shown, 'more character');
    const marks = blank
      ? this.#comment(`${plural(of, 'character')} of white space`)
      : kind === 'text'
        ? glyph + this.#comment(hidden)
        : kind === 'comment' && !this.limits.quiet
          ? `${glyph} ${hidden} of this comment `
          : glyph;
    this.#cutSpan(from + shown, to, marks, path, shown, of);
    if (kind === 'cdata' || kind === 'instruction') this.#mark(end, hidden);
  }

  #cutSpan(from: number, to: number, text: string, path: string, shown: number, of: number): void {
    this.#report('character', path, shown, of);
    this.cut(from, to, text, path, { unit: 'character', first: shown + 1, of });
  }

  /** Shortens attribute values, omits attributes beyond the limit, and adds remarks after the tag. */
  #attributes(element: XmlElement, weight: number): void {
    const { attributes, attributeCount: of, path, tagEnd, nameEnd, attributesEnd } = element;
    const kept = attributes.slice(0, this.limits.keys);
    this.tell(weight * kept.length);
    const remarks: string[] = [];
    for (const value of kept) {
      if (value.of <= this.limits.string) continue;
      const { name } = value;
      const shown = this.#prefix(value, this.limits.string, true);
      this.#cutSpan(value.from + shown, value.to, this.glyph, extendPath(path, `@${name}`), shown, value.of);
      // A name may contain text that is not allowed in a comment.
      const label = name.includes('--') || name.endsWith('-') ? 'a value' : name;
      remarks.push(`${label}: ${plural(value.of - shown, 'more character')}`);
    }
    if (of > kept.length) {
      const last = kept.at(-1);
      const members = { unit: 'key', first: kept.length + 1, of } as const;
      this.#report('key', path, kept.length, of);
      this.cut(last ? last.to + 1 : nameEnd, attributesEnd, '', path, members);
      remarks.push(restText(of - kept.length, 'attribute', kept.length));
    }
    if (remarks.length > 0) this.#mark(tagEnd, remarks.join('; '));
  }

  /** What stands before or after the root element: its first nodes are shown, as far as there is room. */
  #around({ from, tokens, rest }: XmlAround, side: 'before' | 'after'): void {
    const most = AROUND_UNITS * this.limits.items;
    const first = tokens.find(({ to }) => to - from > most) ?? rest;
    if (!first) return;
    const last = rest ?? tokens.at(-1) ?? first;
    const before = first.from - from;
    const hidden = last.to - first.from + (rest ? hiddenOf(rest) : 0);
    const of = before + hidden;
    const mark = this.#comment(`${restText(hidden, 'character', before)} ${side} the root element`);
    this.#cutSpan(first.from, last.to, mark, side === 'before' ? 'prolog' : 'epilog', before, of);
  }

  /** How many units of a span to show: at most `limit`, without splitting a character or reference. */
  #prefix({ from, to }: XmlSpan, limit: number, references: boolean): number {
    const text = this.source.slice(from, Math.min(to, from + limit + 2));
    let cut = limit === 0 ? 0 : safeCut(text, limit);
    if (cut > limit) cut = 0;
    if (!references || cut === 0) return cut;
    const ampersand = text.lastIndexOf('&', cut - 1);
    return ampersand >= 0 && !text.slice(ampersand, cut).includes(';') ? ampersand : cut;
  }
}
