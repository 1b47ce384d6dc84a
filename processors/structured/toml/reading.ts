// TOML: the original text if it fits, else a valid TOML view with the rest left out and counted in comments. Numbers
// and dates keep their spelling.

import {
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  type Source,
} from '../../../src/contract/index.ts';
import { asJson, keepsLanguage } from '../as-json.ts';
import { type Elidable, readForTree, showElided, streamText } from '../elided.ts';
import { commentRuns, glyphOutside, type Stretch } from '../elision.ts';
import { itemIndex, notFound, pointerTokens } from '../pointer.ts';
import type { Node } from '../tree/node.ts';
import { schemaOf } from '../tree/schema.ts';
import { SCHEMA_LIMITS, schemaOutline, warnOfDepth } from '../tree/schema-lines.ts';
import { elideToml } from './elision.ts';
import { readToml, type TomlDocument, type TomlNode } from './tree.ts';

/** A view, the next page of a walk, or the whole document. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const { selection } = context;
  const utf8 = await context.text(source);
  if (selection.all && selection.pointer === undefined && keepsLanguage(context)) {
    yield* streamText(utf8, context.signal);
    return;
  }
  const read = await readDocument(utf8, context);
  const parts = await asJson(utf8, context, () => tomlToJson(read, read.document.root));
  yield* parts ?? showElided(elidable(read, selection.pointer ?? ''), context);
}

/** The schema of the table or value the request names. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const read = await readDocument(await context.text(source), context);
  const root = find(read.document.root, context.selection.pointer ?? '');
  warnOfDepth(levelsOf(root), context);
  yield* schemaOutline(schemaOf(schemaNode(read, root, 1)), context.selection.brief);
}

/** A value as the tree a schema is built from; of strings only the beginning. */
function schemaNode(read: Read, node: TomlNode, level: number): Node {
  const { kind, members } = node;
  const of = members.length;
  if (kind === 'object' || kind === 'array') {
    if (level > SCHEMA_LIMITS.depth && of > 0) return { kind: 'cut', what: kind, of };
    const inner = (member: TomlNode): Node => schemaNode(read, member, level + 1);
    return kind === 'array'
      ? { kind, items: members.slice(0, SCHEMA_LIMITS.items).map(inner), of }
      : {
          kind,
          entries: members
            .slice(0, SCHEMA_LIMITS.keys)
            .map((member) => ({ key: member.name, value: inner(member) })),
          of,
        };
  }
  const spelled = read.text.slice(node.from, node.to);
  if (kind === 'literal') {
    const json = literalJson(spelled);
    if (!json.startsWith('"')) return { kind, text: json };
  }
  const text = spelled.slice(0, SCHEMA_LIMITS.string).replace(/^(["'])(.*)\1$/s, '$2');
  return { kind: 'string', text, of: Math.max(text.length, spelled.length - 2) };
}

/** Nesting depth of tables and arrays, the node itself included. */
function levelsOf({ kind, members }: TomlNode): number {
  if (kind !== 'object' && kind !== 'array') return 0;
  let levels = 0;
  for (const member of members) levels = Math.max(levels, levelsOf(member));
  return levels + 1;
}

interface Read {
  readonly text: string;
  readonly document: TomlDocument;
  readonly decode: (spelled: string) => string;
}

/** Shared by a view and the outline above it. */
const READS = new WeakMap<Source, Read>();

async function readDocument(utf8: Source, context: ProcessContext): Promise<Read> {
  const read = READS.get(utf8) ?? (await parse(utf8, context));
  READS.set(utf8, read);
  context.describe({ keys: read.document.root.members.length });
  return read;
}

async function parse(utf8: Source, context: ProcessContext): Promise<Read> {
  const text = await readForTree(utf8, 'TOML', context);
  const library = await import('smol-toml');
  try {
    library.parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (error instanceof RangeError)
      throw new NotThisFormat(
        { code: 'INVALID_SYNTAX', message: 'Not read as TOML: nested too deeply.' },
        error,
      );
    if (!(error instanceof library.TomlError)) throw error;
    const what = (error.message.split('\n', 1)[0] ?? '')
      .replace(/^Invalid TOML document: /, '')
      .slice(0, 150);
    throw new NotThisFormat({
      code: 'INVALID_SYNTAX',
      message: `Not valid TOML: ${what} at line ${error.line}, column ${error.column}.`,
    });
  }
  const decode = (spelled: string): string => String(library.parse(`v = ${spelled}`)['v']);
  const document = readToml(text, decode);
  return { text, document, decode };
}

function find(root: TomlNode, pointer: string): TomlNode {
  const tokens = pointerTokens(pointer);
  let node = root;
  for (const [depth, token] of tokens.entries()) {
    let member: TomlNode | undefined;
    if (node.kind === 'object') {
      member = node.named?.get(token);
      if (!member)
        throw notFound(
          pointer,
          tokens,
          depth,
          node.members.map(({ name }) => name),
        );
    } else if (node.kind === 'array') {
      const index = itemIndex(token, node.members.length);
      member = index === undefined ? undefined : node.members[index];
      if (!member) throw notFound(pointer, tokens, depth, node.members.length);
    } else throw notFound(pointer, tokens, depth, undefined);
    node = member;
  }
  return node;
}

function elidable({ text, document, decode }: Read, pointer: string): Elidable {
  const root = find(document.root, pointer);
  const stretches = pointer === '' ? [{ from: 0, to: text.length }] : stretchesOf(text, document, root);
  const comments = commentRuns(text, document.comments);
  const glyph = glyphOutside(text);
  const lengths = new Map<TomlNode, number>();
  return {
    source: text,
    scope: stretches,
    prefix: '',
    elide: (limits) =>
      elideToml({ source: text, document, comments, root, stretches, glyph, decode, lengths }, limits),
  };
}

/** The lines of the statements that make up a table; for a value inside a statement, its own characters. */
function stretchesOf(text: string, { statements }: TomlDocument, root: TomlNode): Stretch[] {
  const stretches: { from: number; to: number }[] = [];
  for (const statement of statements) {
    if (!isWithin(statement.node, root)) continue;
    const from = text.lastIndexOf('\n', statement.from - 1) + 1;
    const end = text.indexOf('\n', statement.to);
    const to = end < 0 ? text.length : end + 1;
    const last = stretches.at(-1);
    if (last && text.slice(last.to, from).trim() === '') last.to = to;
    else stretches.push({ from, to });
  }
  return stretches.length > 0 ? stretches : [{ from: root.from, to: root.to }];
}

function isWithin(node: TomlNode, root: TomlNode): boolean {
  let at: TomlNode | undefined = node;
  while (at && at.level > root.level) at = at.parent;
  return at === root;
}

function tomlToJson(read: Read, node: TomlNode): string {
  const spelled = read.text.slice(node.from, node.to);
  switch (node.kind) {
    case 'object':
      return `{${node.members.map((member) => `${JSON.stringify(member.name)}: ${tomlToJson(read, member)}`).join(', ')}}`;
    case 'array':
      return `[${node.members.map((member) => tomlToJson(read, member)).join(', ')}]`;
    case 'string':
      return JSON.stringify(read.decode(spelled));
    case 'literal':
      return literalJson(spelled);
  }
}

/** Numbers with their original digits; dates, `inf` and `nan` as strings. */
function literalJson(spelled: string): string {
  if (spelled === 'true' || spelled === 'false') return spelled;
  const digits = spelled.replaceAll('_', '').replace(/^\+/, '');
  if (/^0[xob]/.test(digits)) return BigInt(digits).toString();
  return /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(digits) ? digits : JSON.stringify(spelled);
}
