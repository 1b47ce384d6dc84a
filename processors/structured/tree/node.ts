// A bounded tree of keys, items and values, as any structured format is held to be shown.

/** One member of an object. `keyOf` is the true length of a key that was cut, in UTF-16 units. */
export interface Entry {
  readonly key: string;
  readonly keyOf?: number;
  readonly value: Node;
}

/** `of` is the true number of members; `entries` the first of them. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly entries: Entry[];
  of: number;
}

/**
 * `of` is the true number of items. `items` are those from number `from` (1 where absent) on; `to` ends a stretch that
 * was asked for (the last item where absent).
 */
export interface ArrayNode {
  readonly kind: 'array';
  readonly items: Node[];
  of: number;
  readonly from?: number;
  readonly to?: number;
}

/** A string, or (`literal`) an overlong number: `text` is its start, `of` its true length in UTF-16 units. */
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

/** A container not entered because it lies too deep. `of` is its true number of items or keys. */
export interface CutNode {
  readonly kind: 'cut';
  readonly what: 'object' | 'array';
  readonly of: number;
}

export type Node = ObjectNode | ArrayNode | StringNode | LiteralNode | CutNode;
