// The tree of a YAML stream, built from the parser's tokens: which characters are a key, a value, an item. Keeps the
// spelling, and neither types nor expands anything.

import type * as Yaml from 'yaml';
import type { CST } from 'yaml';
import { commentRuns } from '../elision.ts';
import {
  NO_ITEMS,
  type Properties,
  type YamlAnchor,
  type YamlDocument,
  type YamlItem,
  YamlNode,
  type YamlStream,
} from './node.ts';
import { Refusal } from './refusal.ts';
import { scalarText } from './scalar.ts';

type Trivia = readonly CST.SourceToken[] | undefined;

/** Builds the tree from the parser's tokens, one document at a time. */
export class YamlTree {
  readonly #source: string;
  readonly #yaml: typeof Yaml;
  readonly #documents: YamlDocument[] = [];
  readonly #anchors: YamlAnchor[] = [];
  readonly #comments: number[] = [];
  readonly #duplicates: { name: string; offset: number }[] = [];
  /** Anchor names of the document so far. */
  readonly #known = new Set<string>();
  #directives = '';
  #start: number | undefined;

  constructor(source: string, yaml: typeof Yaml) {
    this.#source = source;
    this.#yaml = yaml;
  }

  composed(errors: readonly Yaml.YAMLParseError[]): void {
    const [first] = errors;
    if (first) throw new Refusal(first.message, first.pos[0]);
  }

  add(token: CST.Token): void {
    switch (token.type) {
      case 'document':
        this.#document(token);
        break;
      case 'doc-end': {
        const last = this.#documents.at(-1);
        // The same array element, now known to be closed.
        if (last) this.#documents[this.#documents.length - 1] = { ...last, closed: true };
        this.#note(token.end);
        this.#start = undefined;
        break;
      }
      case 'directive':
        this.#start ??= token.offset;
        // Rejected by YAML 1.2.2, 6.8.1, but accepted by the package.
        if (/^%YAML\b/.test(token.source) && /^%YAML\b/m.test(this.#directives))
          throw new Refusal('a second %YAML directive', token.offset);
        this.#directives += `${token.source}\n`;
        break;
      case 'comment':
        this.#start ??= token.offset;
        this.#comments.push(token.offset);
        break;
      default:
        break;
    }
  }

  finish(): YamlStream {
    this.#comments.sort((a, b) => a - b);
    this.#anchors.sort((a, b) => a.offset - b.offset);
    return {
      documents: this.#documents,
      anchors: this.#anchors,
      comments: commentRuns(this.#source, this.#comments),
      duplicates: this.#duplicates,
    };
  }

  #document(token: CST.Document): void {
    const start = token.start.find((piece) => piece.type === 'doc-start');
    const after = start ? start.offset + start.source.length : token.offset;
    this.#known.clear();
    const root = this.#value(token.value, token.start, after);
    this.#note(token.start);
    this.#note(token.end);
    // Comments before `...` are not a document (YAML 1.2.2, 9.1.3).
    if (!start && root.style === 'empty' && root.from === root.to) return;
    this.#documents.push({
      from: this.#start ?? token.offset,
      to: root.to,
      root,
      directives: this.#directives,
      closed: false,
    });
    this.#directives = '';
    this.#start = undefined;
  }

  #note(pieces: Trivia): void {
    if (!pieces) return;
    for (const piece of pieces) if (piece.type === 'comment') this.#comments.push(piece.offset);
  }

  /** The value of `token` with the properties found in `props`. */
  #value(token: CST.Token | null | undefined, props: Trivia, before: number): YamlNode {
    let anchor: CST.SourceToken | undefined;
    let tag: string | undefined;
    let from = -1;
    let after = before;
    if (props)
      for (const piece of props) {
        if (piece.type === 'anchor') anchor = piece;
        else if (piece.type === 'tag') tag = piece.source;
        else continue;
        if (from < 0) from = piece.offset;
        after = Math.max(after, piece.offset + piece.source.length);
      }
    // Registered before its content, which may refer to it.
    if (anchor) this.#known.add(anchor.source.slice(1));
    const node = this.#node(token, { from, after, tag });
    if (anchor) this.#anchors.push({ name: anchor.source.slice(1), offset: anchor.offset, node });
    return node;
  }

  #node(token: CST.Token | null | undefined, props: Properties): YamlNode {
    switch (token?.type) {
      case 'alias':
      case 'scalar':
      case 'single-quoted-scalar':
      case 'double-quoted-scalar': {
        this.#note(token.end);
        if (token.source === '') break;
        const kind = token.type === 'alias' ? 'alias' : 'scalar';
        if (kind === 'alias' && !this.#known.has(token.source.slice(1)))
          throw new Refusal(`no anchor for the alias ${token.source.slice(0, 40)}`, token.offset);
        const end = token.offset + token.source.length;
        return new YamlNode(kind, STYLES[token.type], props, token.offset, end);
      }
      case 'block-scalar': {
        let body = token.offset;
        let content = token.offset;
        for (const piece of token.props) {
          if (piece.type === 'block-scalar-header') body = piece.offset;
          if (piece.type === 'comment') this.#comments.push(piece.offset);
          if ('source' in piece) content = piece.offset + piece.source.length;
        }
        const end = content + token.source.length;
        return new YamlNode('scalar', 'literal', props, body, end, NO_ITEMS, body, content);
      }
      case 'block-map':
      case 'block-seq': {
        const kind = token.type === 'block-map' ? 'object' : 'array';
        const items = this.#items(token, kind);
        const first = items[0];
        const last = items.at(-1);
        if (!first || !last) break;
        return new YamlNode(kind, 'block', props, first.from, last.to, items);
      }
      case 'flow-collection': {
        const kind = token.start.source === '{' ? 'object' : 'array';
        const items = this.#items(token, kind);
        const close = token.end.find(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end');
        this.#note(token.end);
        const end = close ? close.offset + 1 : (items.at(-1)?.to ?? token.offset + 1);
        return new YamlNode(kind, 'flow', props, token.offset, end, items);
      }
      default:
        break;
    }
    return new YamlNode('scalar', 'empty', props, props.after, props.after);
  }

  #items(token: CST.BlockMap | CST.BlockSequence | CST.FlowCollection, kind: 'object' | 'array'): YamlItem[] {
    const items: YamlItem[] = [];
    const seen = kind === 'object' ? new Set<string>() : undefined;
    for (const item of token.items) {
      this.#note(item.start);
      this.#note(item.sep);
      const parts = this.#itemParts(item);
      if (parts === undefined) continue;
      const { from, afterStart } = parts;
      const found = item.start.find(({ type }) => type === 'comma');
      const comma = found && found.offset + 1;
      // A value alone is a key inside braces and after `?`.
      const lone = { start: item.start, key: item.key ?? item.value ?? null, sep: [] };
      if (kind === 'object') {
        items.push(this.#pair(item.sep === undefined ? lone : item, from, afterStart, comma, seen));
        continue;
      }
      const isPair = item.sep?.some(({ type }) => type === 'map-value-ind') === true;
      let value: YamlNode;
      if (isPair || item.start.some(({ type }) => type === 'explicit-key-ind')) {
        const pair = this.#pair(isPair ? item : lone, from, afterStart, undefined, undefined);
        const props = { from: -1, after: afterStart, tag: undefined };
        value = new YamlNode('object', 'flow', props, from, pair.to, [pair]);
      } else value = this.#value(item.value ?? item.key, item.start, afterStart);
      items.push({ from, to: Math.max(afterStart, value.to), key: undefined, name: '', value, comma });
    }
    return items;
  }

  /** Start of an item, and the end of what precedes its key or value; undefined for comments alone. */
  #itemParts(item: CST.CollectionItem): { from: number; afterStart: number } | undefined {
    let from: number | undefined;
    let afterStart: number | undefined;
    for (const { type, offset, source } of item.start) {
      if (type === 'comma') {
        afterStart = offset + 1;
        continue;
      }
      if (type === 'space' || type === 'newline' || type === 'comment') continue;
      from ??= offset;
      afterStart = offset + source.length;
    }
    const first = item.key ?? item.sep?.find(({ type }) => type === 'map-value-ind') ?? item.value;
    if (from === undefined) {
      if (!first) return undefined;
      from = startOf(first);
    }
    return { from, afterStart: afterStart !== undefined && afterStart > from ? afterStart : from };
  }

  #pair(
    item: CST.CollectionItem,
    from: number,
    afterStart: number,
    comma: number | undefined,
    seen: Set<string> | undefined,
  ): YamlItem {
    const key = this.#value(item.key, item.start, afterStart);
    const name = this.#name(key);
    const colon = item.sep?.find(({ type }) => type === 'map-value-ind');
    const afterKey = colon ? colon.offset + 1 : Math.max(afterStart, key.to);
    const value = this.#value(item.value, item.sep, afterKey);
    if (seen?.has(name) && name !== '<<') this.#duplicates.push({ name, offset: from });
    seen?.add(name);
    return { from, to: Math.max(afterKey, value.to), key, name, value, comma };
  }

  #name(key: YamlNode): string {
    if (key.style === 'empty') return '';
    if (key.kind !== 'scalar') return this.#source.slice(key.body, key.to);
    return scalarText(this.#source, key, this.#yaml);
  }
}

/** Start of a token's text; a block collection's own offset may be after the properties of its first key. */
function startOf(token: CST.Token): number {
  let at = token;
  while (at.type === 'block-map' || at.type === 'block-seq') {
    const item: CST.CollectionItem | undefined = at.items[0];
    const piece = item?.start.find(
      ({ type }) => type !== 'space' && type !== 'newline' && type !== 'comment',
    );
    if (piece) return piece.offset;
    const first = item?.key ?? item?.sep?.find(({ type }) => type === 'map-value-ind') ?? item?.value;
    if (!first) break;
    at = first;
  }
  return at.offset;
}

const STYLES = {
  alias: 'plain',
  scalar: 'plain',
  'single-quoted-scalar': 'single',
  'double-quoted-scalar': 'double',
} as const;
