// A node of a parsed page.

/** An element, or text (with an empty `name`). Children form a linked list. */
export class HtmlNode {
  name: string;
  text: string;
  /** Alternating names and values; only attributes relevant to text are kept. */
  attributes: readonly string[] | undefined;
  readonly parent: HtmlNode | undefined;
  /** Index in document order. */
  readonly index: number;
  first: HtmlNode | undefined;
  last: HtmlNode | undefined;
  next: HtmlNode | undefined;

  constructor(name: string, text: string, parent: HtmlNode | undefined, index: number) {
    this.name = name;
    this.text = text;
    this.attributes = undefined;
    this.parent = parent;
    this.index = index;
    this.first = undefined;
    this.last = undefined;
    this.next = undefined;
  }

  /** The value of an attribute by lower-case name; empty for one without a value. */
  get(name: string): string | undefined {
    const list = this.attributes;
    if (list) for (let at = 0; at < list.length; at += 2) if (list[at] === name) return list[at + 1];
    return undefined;
  }

  /** The nearest element around it that passes `test`, among the `most` innermost ones. */
  around(test: (node: HtmlNode) => boolean, most: number = Number.POSITIVE_INFINITY): HtmlNode | undefined {
    for (let at = this.parent, up = 0; at && up < most; at = at.parent, up += 1) if (test(at)) return at;
    return undefined;
  }

  /** Class names, each preceded and followed by a space. */
  get classes(): string {
    const value = this.get('class');
    return value === undefined ? ' ' : ` ${value.replace(/\s+/g, ' ').toLowerCase()} `;
  }
}

/** A parsed document. */
export interface HtmlTree {
  readonly root: HtmlNode;
  /** All nodes, in document order. */
  readonly nodes: readonly HtmlNode[];
  /** True if the document has more elements than were read. */
  readonly cut: boolean;
}
