// The bounded tree of keys, items and values shared by all structured formats.

/** One member of an object. */
export interface Entry {
  readonly key: string;
  readonly value: Node;
}

/** `of` is the total number of members; `entries` holds the first of them, `names` the keys of the next ones. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly entries: Entry[];
  of: number;
  readonly names?: readonly string[];
}

/**
 * `of` is the total number of items. `items` starts at number `from` (default 1); `to` ends a requested stretch
 * (default: the last item).
 */
export interface ArrayNode {
  readonly kind: 'array';
  readonly items: Node[];
  of: number;
  readonly from?: number;
  readonly to?: number;
}

/** A string, or (`literal`) an overlong number: `text` is its start, `of` its full length in UTF-16 units. */
export interface StringNode {
  readonly kind: 'string';
  readonly text: string;
  readonly of: number;
}

/** A number, `true`, `null` and the like, spelled as in the file. */
export interface LiteralNode {
  readonly kind: 'literal';
  readonly text: string;
}

/** A container that was not entered because it is too deep. `of` is its number of items or keys, `names` the first keys. */
export interface CutNode {
  readonly kind: 'cut';
  readonly what: 'object' | 'array';
  readonly of: number;
  readonly names?: readonly string[];
}

export type Node = ObjectNode | ArrayNode | StringNode | LiteralNode | CutNode;
