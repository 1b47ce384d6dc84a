// The nodes and documents of a YAML stream with their source positions.

import type { CommentRun } from '../elision.ts';

export type YamlKind = 'object' | 'array' | 'scalar' | 'alias';

export type YamlStyle = 'block' | 'flow' | 'plain' | 'single' | 'double' | 'literal' | 'empty';

/**
 * A value of the document. Offsets are UTF-16 units into the source. A class, because a file may have half a million of
 * them and a fixed shape uses the least memory.
 */
export class YamlNode {
  readonly kind: YamlKind;
  readonly style: YamlStyle;
  /** Start, including anchor and tag. */
  readonly from: number;
  /** Start, excluding anchor and tag. */
  readonly body: number;
  /** After the last significant character. */
  readonly to: number;
  /** End of what precedes the value and its comments: an indicator, an anchor, a tag. */
  readonly after: number;
  readonly items: readonly YamlItem[];
  readonly tag: string | undefined;
  /** Start of the lines of a block scalar, after its header. */
  readonly content: number;

  constructor(
    kind: YamlKind,
    style: YamlStyle,
    props: Properties,
    body: number,
    to: number,
    items: readonly YamlItem[] = NO_ITEMS,
    from: number = body,
    content: number = body,
  ) {
    this.kind = kind;
    this.style = style;
    this.from = props.from < 0 ? from : props.from;
    this.body = body;
    this.to = to;
    this.after = props.after;
    this.items = items;
    this.tag = props.tag;
    this.content = content;
  }
}

export const NO_ITEMS: readonly YamlItem[] = [];

/** What precedes a value; `from` is the start of its anchor or tag, or -1. */
export interface Properties {
  readonly from: number;
  readonly after: number;
  readonly tag: string | undefined;
}

/** One pair of a mapping or item of a sequence. */
export interface YamlItem {
  readonly from: number;
  readonly to: number;
  readonly key: YamlNode | undefined;
  /** The key as a JSON Pointer token; empty for an item. */
  readonly name: string;
  readonly value: YamlNode;
  /** After the preceding comma, in a flow collection. */
  readonly comma: number | undefined;
}

export interface YamlDocument {
  readonly from: number;
  readonly to: number;
  readonly root: YamlNode;
  readonly directives: string;
  /** True if it ends with `...`. */
  readonly closed: boolean;
}

export interface YamlAnchor {
  readonly name: string;
  readonly offset: number;
  readonly node: YamlNode;
}

export interface YamlStream {
  readonly documents: readonly YamlDocument[];
  readonly anchors: readonly YamlAnchor[];
  readonly comments: readonly CommentRun[];
  /** Keys that occurred before in their mapping. */
  readonly duplicates: readonly { readonly name: string; readonly offset: number }[];
}
