// Reads YAML into a tree of places in its source: which characters are a key, a value, an item. It keeps spelling,
// types nothing and expands nothing; the `yaml` package says what is valid.

import { setImmediate } from 'node:timers/promises';
import type * as Yaml from 'yaml';
import type { CST } from 'yaml';
import { NotThisFormat, quoted, throwIfAborted } from '../../src/contract/index.ts';
import { type CommentRun, commentRuns } from './elision.ts';

/** A value of the document. Offsets are UTF-16 units into the source; `to` is past the last significant character. */
export interface YamlNode {
  readonly kind: 'object' | 'array' | 'scalar' | 'alias';
  readonly style: 'block' | 'flow' | 'plain' | 'single' | 'double' | 'literal' | 'empty';
  /** With anchor and tag; `body` without. */
  readonly from: number;
  readonly body: number;
  readonly to: number;
  /** End of what comes before the value and its comments: an indicator, an anchor, a tag. */
  readonly after: number;
  readonly tag: string | undefined;
  readonly items: readonly YamlItem[];
  readonly token: CST.FlowScalar | CST.BlockScalar | undefined;
}

/** One pair of a mapping or item of a sequence. */
export interface YamlItem {
  readonly from: number;
  readonly to: number;
  readonly key: YamlNode | undefined;
  /** The key as a JSON Pointer names it; empty for an item. */
  readonly name: string;
  readonly value: YamlNode;
  /** Past the comma before it, in a flow collection. */
  readonly comma: number | undefined;
}

export interface YamlDocument {
  readonly from: number;
  readonly to: number;
  readonly root: YamlNode;
  readonly directives: string;
  /** It ends with `...`. */
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
  /** Some of the keys that occur twice in one mapping, with the offset of the second. */
  readonly duplicates: readonly { readonly name: string; readonly offset: number }[];
  readonly duplicateCount: number;
}

/** Containers within containers. The composer recurses; the parser costs memory for each level. */
const MAX_DEPTH = 200;
const MAX_DUPLICATES_NAMED = 5;
/** Lexemes between looks at the clock and the signal; a few milliseconds. */
const BREATH = 50_000;

/** @throws {NotThisFormat} INVALID_SYNTAX with line and column. */
export async function readYaml(source: string, signal: AbortSignal): Promise<YamlStream> {
  const yaml = await import('yaml');
  const tree = new YamlTree(source, yaml);
  const parser = new yaml.Parser();
  const composer = new yaml.Composer({
    uniqueKeys: false,
    keepSourceTokens: false,
    schema: 'failsafe',
    logLevel: 'silent',
  });
  // The composer collects every error, at a cost that is quadratic in some floods; the first is enough.
  Object.defineProperty(composer, 'onError', {
    value: (
      at: number | [number, number] | { offset: number },
      _code: string,
      message: string,
      warning?: boolean,
    ) => {
      if (!warning)
        throw new Refusal(message, typeof at === 'number' ? at : 'offset' in at ? at.offset : at[0]);
    },
  });
  const compose = (token: CST.Token): void => {
    if (token.type === 'error') throw new Refusal(token.message, token.offset);
    tree.add(token);
    for (const document of composer.next(token)) tree.composed(document.errors);
  };
  try {
    let count = 0;
    for (const lexeme of new yaml.Lexer().lex(source)) {
      for (const token of parser.next(lexeme)) compose(token);
      if (parser.stack.length > MAX_DEPTH)
        throw new Refusal(`nested deeper than ${MAX_DEPTH} levels`, parser.offset);
      if (++count % BREATH === 0) {
        await setImmediate();
        throwIfAborted(signal);
      }
    }
    for (const token of parser.end()) compose(token);
    for (const document of composer.end(false, source.length)) tree.composed(document.errors);
    return tree.finish();
  } catch (error) {
    throw refusalOf(error, source);
  }
}

/** Why the source is not YAML, and where. */
class Refusal extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

function refusalOf(error: unknown, source: string): unknown {
  if (error instanceof RangeError)
    return new NotThisFormat(
      { code: 'INVALID_SYNTAX', message: 'Not read as YAML: nested too deeply.' },
      error,
    );
  if (!(error instanceof Refusal)) return error;
  const offset = Math.min(error.offset, source.length);
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const what = error.message.split('\n', 1)[0] ?? '';
  return new NotThisFormat({
    code: 'INVALID_SYNTAX',
    message: `Not valid YAML: ${quoted(what).slice(1, -1)} at line ${line}, column ${column}.`,
  });
}

type Trivia = readonly CST.SourceToken[] | undefined;

/** Builds the tree from the parser's tokens, one document at a time. */
class YamlTree {
  readonly #source: string;
  readonly #yaml: typeof Yaml;
  readonly #documents: YamlDocument[] = [];
  readonly #anchors: YamlAnchor[] = [];
  readonly #comments: number[] = [];
  readonly #duplicates: { name: string; offset: number }[] = [];
  #duplicateCount = 0;
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
      duplicateCount: this.#duplicateCount,
    };
  }

  #document(token: CST.Document): void {
    const start = token.start.find((piece) => piece.type === 'doc-start');
    const after = start ? start.offset + start.source.length : token.offset;
    const root = this.#value(token.value, token.start, after);
    this.#note(token.start);
    this.#note(token.end);
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
    let from: number | undefined;
    let after = before;
    for (const piece of props ?? []) {
      if (piece.type === 'anchor') anchor = piece;
      else if (piece.type === 'tag') tag = piece.source;
      else continue;
      from ??= piece.offset;
      after = Math.max(after, piece.offset + piece.source.length);
    }
    const node = this.#node(token, from, after, tag);
    if (anchor) this.#anchors.push({ name: anchor.source.slice(1), offset: anchor.offset, node });
    return node;
  }

  #node(
    token: CST.Token | null | undefined,
    propsFrom: number | undefined,
    after: number,
    tag: string | undefined,
  ): YamlNode {
    const common = { after, tag, items: [], token: undefined };
    switch (token?.type) {
      case 'alias':
      case 'scalar':
      case 'single-quoted-scalar':
      case 'double-quoted-scalar': {
        this.#note(token.end);
        if (token.source === '') break;
        const body = token.offset;
        return {
          ...common,
          kind: token.type === 'alias' ? 'alias' : 'scalar',
          style:
            token.type === 'double-quoted-scalar'
              ? 'double'
              : token.type === 'single-quoted-scalar'
                ? 'single'
                : 'plain',
          from: propsFrom ?? body,
          body,
          to: body + token.source.length,
          token,
        };
      }
      case 'block-scalar': {
        let body = token.offset;
        let end = token.offset;
        for (const piece of token.props) {
          if (piece.type === 'block-scalar-header') body = piece.offset;
          if (piece.type === 'comment') this.#comments.push(piece.offset);
          if ('source' in piece) end = piece.offset + piece.source.length;
        }
        return {
          ...common,
          kind: 'scalar',
          style: 'literal',
          from: propsFrom ?? body,
          body,
          to: end + token.source.length,
          token,
        };
      }
      case 'block-map':
      case 'block-seq': {
        const items = this.#blockItems(token);
        const first = items[0];
        const last = items.at(-1);
        if (!first || !last) break;
        return {
          ...common,
          kind: token.type === 'block-map' ? 'object' : 'array',
          style: 'block',
          from: propsFrom ?? first.from,
          body: first.from,
          to: last.to,
          items,
        };
      }
      case 'flow-collection': {
        const kind = token.start.source === '{' ? 'object' : 'array';
        const items = this.#flowItems(token, kind);
        const close = token.end.find(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end');
        this.#note(token.end);
        return {
          ...common,
          kind,
          style: 'flow',
          from: propsFrom ?? token.offset,
          body: token.offset,
          to: close ? close.offset + 1 : (items.at(-1)?.to ?? token.offset + 1),
          items,
        };
      }
      default:
        break;
    }
    return { ...common, kind: 'scalar', style: 'empty', from: propsFrom ?? after, body: after, to: after };
  }

  #blockItems(token: CST.BlockMap | CST.BlockSequence): YamlItem[] {
    const items: YamlItem[] = [];
    const seen = token.type === 'block-map' ? new Set<string>() : undefined;
    for (const item of token.items) {
      this.#note(item.start);
      this.#note(item.sep);
      const parts = this.#itemParts(item);
      if (parts === undefined) continue;
      const { from, afterStart } = parts;
      if (token.type === 'block-seq') {
        const value = this.#value(item.value, item.start, afterStart);
        items.push({
          from,
          to: Math.max(afterStart, value.to),
          key: undefined,
          name: '',
          value,
          comma: undefined,
        });
      } else items.push(this.#pair(item, from, afterStart, undefined, seen));
    }
    return items;
  }

  #flowItems(token: CST.FlowCollection, kind: 'object' | 'array'): YamlItem[] {
    const items: YamlItem[] = [];
    const seen = kind === 'object' ? new Set<string>() : undefined;
    for (const item of token.items) {
      this.#note(item.start);
      this.#note(item.sep);
      const comma = item.start.find(({ type }) => type === 'comma');
      const past = comma && comma.offset + 1;
      const parts = this.#itemParts(item);
      if (parts === undefined) continue;
      const { from, afterStart } = parts;
      // A value alone is a key in braces and after `?`.
      const lone = { start: item.start, key: item.key ?? item.value ?? null, sep: [] };
      const isPair = item.sep?.some(({ type }) => type === 'map-value-ind') === true;
      if (kind === 'object') {
        items.push(this.#pair(item.sep === undefined ? lone : item, from, afterStart, past, seen));
      } else if (isPair || item.start.some(({ type }) => type === 'explicit-key-ind')) {
        const pair = this.#pair(isPair ? item : lone, from, afterStart, undefined, undefined);
        const value: YamlNode = {
          kind: 'object',
          style: 'flow',
          from,
          body: from,
          to: pair.to,
          after: afterStart,
          tag: undefined,
          items: [pair],
          token: undefined,
        };
        items.push({ from, to: pair.to, key: undefined, name: '', value, comma: past });
      } else {
        const value = this.#value(item.value ?? item.key, item.start, afterStart);
        items.push({
          from,
          to: Math.max(afterStart, value.to),
          key: undefined,
          name: '',
          value,
          comma: past,
        });
      }
    }
    return items;
  }

  /** Where an item begins, and the end of what comes before its key or value; undefined for comments alone. */
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
    if (seen?.has(name) && name !== '<<') {
      this.#duplicateCount++;
      if (this.#duplicates.length < MAX_DUPLICATES_NAMED) this.#duplicates.push({ name, offset: from });
    }
    seen?.add(name);
    return { from, to: Math.max(afterKey, value.to), key, name, value, comma };
  }

  #name(key: YamlNode): string {
    if (key.style === 'empty') return '';
    if (key.kind !== 'scalar') return this.#source.slice(key.body, key.to);
    return scalarText(key, this.#yaml);
  }
}

/** Where a token's text begins; a block collection's own offset may lie past the properties of its first key. */
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

/** A scalar's value as text: unescaped and unfolded, not typed. */
export function scalarText(node: YamlNode, yaml: typeof Yaml): string {
  const { token } = node;
  if (!token) return '';
  if (token.type === 'scalar' && !token.source.includes('\n')) return token.source;
  return yaml.CST.resolveAsScalar(token, false, () => {})?.value ?? '';
}
