// Parses TOML into tables and values with their source positions. Expects text that `smol-toml` has validated, so it
// only looks for structure.

import { NotThisFormat } from '../../../src/contract/index.ts';

/** A value, table, or array of tables. `from` and `to` (UTF-16 units) bound a value; a table has statements instead. */
export class TomlNode {
  readonly kind: 'object' | 'array' | 'string' | 'literal';
  readonly parent: TomlNode | undefined;
  /** Reference token in a JSON Pointer. */
  readonly name: string;
  readonly index: number;
  readonly level: number;
  readonly id: number;
  readonly from: number;
  to: number;
  readonly items: TomlNode[] = [];
  /** After the preceding comma, in an array. */
  comma: number | undefined;
  /** A node is a member of its parent by itself. */
  readonly value: TomlNode = this;
  /** Statements of an inline table. */
  readonly statements: TomlStatement[] = [];
  named: Map<string, TomlNode> | undefined;

  constructor(
    kind: TomlNode['kind'],
    parent: TomlNode | undefined,
    name: string,
    id: number,
    from: number,
    to: number,
  ) {
    this.kind = kind;
    this.parent = parent;
    this.name = name;
    this.index = parent ? parent.items.length : 0;
    this.level = parent ? parent.level + 1 : 1;
    this.id = id;
    this.from = from;
    this.to = to;
  }
}

/** `key = value`, or the `[header]` of a table. */
export interface TomlStatement {
  readonly from: number;
  readonly to: number;
  /** The value, or the table the header opens. */
  readonly node: TomlNode;
  readonly header: boolean;
}

export interface TomlDocument {
  readonly root: TomlNode;
  readonly statements: readonly TomlStatement[];
  /** Positions of every `#`, ascending. */
  readonly comments: readonly number[];
  readonly nodes: number;
}

/** Maximum nesting of values, and parts of a dotted key. */
const MAX_DEPTH = 200;

/**
 * @param decode returns the value of a quoted string from its source spelling.
 * @throws {NotThisFormat} INVALID_SYNTAX if nested deeper than 200 levels.
 */
export function readToml(source: string, decode: (spelled: string) => string): TomlDocument {
  return new TomlScanner(source, decode).document();
}

const BARE_END = /[\s#,\]}]/g;

class TomlScanner {
  readonly #source: string;
  readonly #decode: (spelled: string) => string;
  readonly #comments: number[] = [];
  readonly #statements: TomlStatement[] = [];
  readonly #root: TomlNode;
  #at = 0;
  #ids = 1;

  constructor(source: string, decode: (spelled: string) => string) {
    this.#source = source;
    this.#decode = decode;
    this.#root = new TomlNode('object', undefined, '', 0, 0, source.length);
  }

  document(): TomlDocument {
    let table = this.#root;
    for (this.#skip(); this.#at < this.#source.length; this.#skip()) {
      const from = this.#at;
      if (this.#source[from] === '[') {
        const several = this.#source[from + 1] === '[';
        this.#at += several ? 2 : 1;
        const keys = this.#keys(']');
        this.#at += several ? 2 : 1;
        table = several ? this.#element(keys) : this.#table(this.#root, keys);
        this.#statements.push({ from, to: this.#at, node: table, header: true });
      } else this.#statements.push(this.#statement(table));
    }
    return { root: this.#root, statements: this.#statements, comments: this.#comments, nodes: this.#ids };
  }

  #table(from: TomlNode, keys: readonly string[]): TomlNode {
    let node = from;
    for (const key of keys) {
      const known = node.named?.get(key);
      // A header that passes through an array of tables refers to its last element.
      if (known) node = known.kind === 'array' ? (known.items.at(-1) ?? known) : known;
      else node = this.#member(node, key, 'object');
    }
    return node;
  }

  #element(keys: readonly string[]): TomlNode {
    const last = keys.at(-1) ?? '';
    const parent = this.#table(this.#root, keys.slice(0, -1));
    const array = parent.named?.get(last) ?? this.#member(parent, last, 'array');
    return this.#member(array, String(array.items.length), 'object');
  }

  #member(parent: TomlNode, name: string, kind: TomlNode['kind']): TomlNode {
    const node = new TomlNode(kind, parent, name, this.#ids++, this.#at, this.#at);
    if (node.level > MAX_DEPTH)
      throw new NotThisFormat({
        code: 'INVALID_SYNTAX',
        message: `Not read as TOML: nested deeper than ${MAX_DEPTH} levels.`,
      });
    parent.items.push(node);
    if (parent.kind === 'object') {
      parent.named ??= new Map();
      parent.named.set(name, node);
    }
    return node;
  }

  #statement(table: TomlNode): TomlStatement {
    const from = this.#at;
    const keys = this.#keys('=');
    this.#at++;
    this.#skip();
    const parent = this.#table(table, keys.slice(0, -1));
    const node = this.#value(parent, keys.at(-1) ?? '');
    return { from, to: node.to, node, header: false };
  }

  /** The parts of a dotted key before `end`, which is not consumed. */
  #keys(end: string): string[] {
    const keys: string[] = [];
    for (;;) {
      while (
        this.#source[this.#at] === ' ' ||
        this.#source[this.#at] === '\t' ||
        this.#source[this.#at] === '.'
      )
        this.#at++;
      const from = this.#at;
      const first = this.#source[from];
      if (first === undefined || first === end) return keys;
      if (first === '"' || first === "'") {
        this.#string();
        keys.push(this.#decode(this.#source.slice(from, this.#at)));
      } else {
        while (/[\w-]/.test(this.#source[this.#at] ?? '')) this.#at++;
        if (this.#at === from) this.#at++;
        keys.push(this.#source.slice(from, this.#at));
      }
    }
  }

  #value(parent: TomlNode, name: string): TomlNode {
    const first = this.#source[this.#at];
    let node: TomlNode;
    if (first === '[') {
      node = this.#member(parent, name, 'array');
      this.#at++;
      let comma: number | undefined;
      for (this.#skip(); this.#more(']'); this.#skip()) {
        this.#value(node, String(node.items.length)).comma = comma;
        this.#skip();
        if (this.#source[this.#at] === ',') this.#at++;
        comma = this.#at;
      }
      this.#at++;
    } else if (first === '{') {
      node = this.#member(parent, name, 'object');
      this.#at++;
      for (this.#skip(); this.#more('}'); this.#skip()) {
        node.statements.push(this.#statement(node));
        this.#skip();
        if (this.#source[this.#at] === ',') this.#at++;
      }
      this.#at++;
    } else if (first === '"' || first === "'") {
      node = this.#member(parent, name, 'string');
      this.#string();
    } else {
      node = this.#member(parent, name, 'literal');
      this.#literal();
    }
    node.to = this.#at;
    return node;
  }

  #more(close: string): boolean {
    return this.#at < this.#source.length && this.#source[this.#at] !== close;
  }

  #literal(): void {
    const from = this.#at;
    BARE_END.lastIndex = from;
    const end = BARE_END.exec(this.#source);
    this.#at = Math.max(end ? end.index : this.#source.length, from + 1);
    // A date and a time may be separated by one space (TOML 1.0.0, Offset Date-Time).
    if (
      /^\d{4}-\d\d-\d\d$/.test(this.#source.slice(from, this.#at)) &&
      /^ \d\d:/.test(this.#source.slice(this.#at, this.#at + 4))
    ) {
      BARE_END.lastIndex = this.#at + 1;
      this.#at = BARE_END.exec(this.#source)?.index ?? this.#source.length;
    }
  }

  #string(): void {
    const quote = this.#source[this.#at] ?? '"';
    const long = this.#source.startsWith(quote.repeat(3), this.#at);
    const close = long ? quote.repeat(3) : quote;
    this.#at += close.length;
    while (this.#at < this.#source.length) {
      if (quote === '"' && this.#source[this.#at] === '\\') this.#at += 2;
      else if (this.#source.startsWith(close, this.#at)) break;
      else this.#at++;
    }
    this.#at += close.length;
    // Up to two quotes may precede the closing three.
    if (long) while (this.#source[this.#at] === quote) this.#at++;
  }

  /** Skips blanks, line ends and comments. */
  #skip(): void {
    for (;;) {
      const character = this.#source[this.#at];
      if (character === '#') {
        this.#comments.push(this.#at);
        const end = this.#source.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#source.length : end;
      } else if (character === ' ' || character === '\t' || character === '\n' || character === '\r')
        this.#at++;
      else return;
    }
  }
}
