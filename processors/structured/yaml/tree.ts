// Parses YAML into a tree of source positions: which characters are a key, a value, an item. Keeps the spelling, and
// neither types nor expands anything; the `yaml` package validates.

import { setImmediate } from 'node:timers/promises';
import type * as Yaml from 'yaml';
import type { CST } from 'yaml';
import { NotThisFormat, oneLine, throwIfAborted } from '../../../src/contract/index.ts';
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

/** Maximum nesting of containers. The composer is recursive, and the parser uses memory for each level. */
const MAX_DEPTH = 200;
const MAX_MESSAGE = 150;
/** Maximum lexemes read; each costs up to 500 bytes while a document is parsed. 200 000 pairs have 1.4 million. */
const MAX_LEXEMES = 1_500_000;
/** Some lexemes are only a sign that the next one is a scalar. */
const MOST_PER_CHARACTER = 2;
/** Lexemes between checks of the clock and the signal, a few milliseconds. */
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
  // The composer collects every error, at quadratic cost for some hostile input; the first is enough. It also catches
  // errors thrown inside a collection and reports them for the collection, so the first one is rethrown.
  let refusal: Refusal | undefined;
  Object.defineProperty(composer, 'onError', {
    value: (
      at: number | [number, number] | { offset: number },
      _code: string,
      message: string,
      warning?: boolean,
    ) => {
      if (warning) return;
      refusal ??= new Refusal(message, typeof at === 'number' ? at : 'offset' in at ? at.offset : at[0]);
      throw refusal;
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
      if (++count % BREATH !== 0) continue;
      if (count === BREATH) await refuseTooMany(new yaml.Lexer(), source, signal);
      await breathe(signal);
    }
    for (const token of parser.end()) compose(token);
    for (const document of composer.end(false, source.length)) tree.composed(document.errors);
    return tree.finish();
  } catch (error) {
    throw refusalOf(error, source);
  }
}

/**
 * Counts lexemes without parsing them, which takes a tenth of the time. Called after the first are parsed, so that an
 * error among those is reported as one.
 * @throws {NotThisFormat} if there are too many
 */
async function refuseTooMany(lexer: Yaml.Lexer, source: string, signal: AbortSignal): Promise<void> {
  if (source.length * MOST_PER_CHARACTER <= MAX_LEXEMES) return;
  let count = 0;
  for (const _ of lexer.lex(source)) {
    if (++count > MAX_LEXEMES)
      throw new NotThisFormat({
        code: 'NOT_VALIDATED',
        message: `Not read as YAML: the file has more than ${MAX_LEXEMES} pieces of syntax.`,
      });
    if (count % BREATH === 0) await breathe(signal);
  }
}

async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate();
  throwIfAborted(signal);
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
  // The package's message may quote the file.
  const what = oneLine(error.message).replaceAll('`', "'").slice(0, MAX_MESSAGE);
  return new NotThisFormat({
    code: 'INVALID_SYNTAX',
    message: `Not valid YAML: ${what} at line ${line}, column ${column}.`,
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

/** The text of a scalar, or of its start up to `to`: unescaped and unfolded, not typed. */
export function scalarText(source: string, node: YamlNode, yaml: typeof Yaml, to: number = node.to): string {
  const text = source.slice(node.body, to);
  if (node.style === 'empty' || (node.style === 'plain' && !text.includes('\n'))) return text;
  return yaml.CST.resolveAsScalar(tokenOf(source, node, text, to), false, () => {})?.value ?? '';
}

function tokenOf(source: string, node: YamlNode, text: string, to: number): CST.FlowScalar | CST.BlockScalar {
  const place = { offset: node.body, indent: 0 };
  switch (node.style) {
    case 'single':
      return { ...place, type: 'single-quoted-scalar', source: to < node.to ? `${text}'` : text };
    case 'double':
      return { ...place, type: 'double-quoted-scalar', source: to < node.to ? `${text}"` : text };
    case 'literal': {
      const header = /^[|>][-+\d]*/.exec(text)?.[0] ?? '|';
      const props: CST.Token[] = [{ ...place, type: 'block-scalar-header', source: header }];
      return { ...place, type: 'block-scalar', props, source: source.slice(node.content, to) };
    }
    default:
      return { ...place, type: 'scalar', source: text };
  }
}
