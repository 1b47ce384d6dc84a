// A node of a parsed page.

/** An element, or text (its `name` is empty). Children are a linked list. */
export class HtmlNode {
  name: string;
  text: string;
  /** Name and value in turn; only attributes that matter to text are kept. */
  attributes: readonly string[] | undefined;
  readonly parent: HtmlNode | undefined;
  /** Place in document order. */
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

  /** The value of an attribute, lower-case name; empty for one without a value. */
  get(name: string): string | undefined {
    const list = this.attributes;
    if (list) for (let at = 0; at < list.length; at += 2) if (list[at] === name) return list[at + 1];
    return undefined;
  }

  /** Class names with a space before and after each. */
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
  /** The document has more elements than were read. */
  readonly cut: boolean;
}
