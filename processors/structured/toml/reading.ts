// TOML: the original text if it fits, else a valid TOML view with the rest left out and counted in comments. Numbers
// and dates keep their spelling.

import {
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  type Source,
} from '../../../src/contract/index.ts';
import { commentRuns, type ElidableText, glyphOutside, type Stretch } from '../elision.ts';
import { writeJsonLine } from '../json/text.ts';
import { pointerTokens } from '../pointer.ts';
import { outlineDocument, processDocument, readForTree, type SourceDocument } from '../source-document.ts';
import { type Language, type TreeBounds, TreeMaker, valueAt, WHOLE } from '../source-node.ts';
import type { Node } from '../tree/node.ts';
import { TomlElider } from './elision.ts';
import { readToml, type TomlDocument, type TomlNode } from './tree.ts';

/** A view, the next page of a walk, or the whole document. */
export const process = (source: Source, context: ProcessContext): AsyncGenerator<Part> =>
  processDocument(source, context, readDocument);

/** The schema of the table or value the request names. */
export const outline = (source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> =>
  outlineDocument(source, context, readDocument);

interface Read {
  readonly text: string;
  readonly document: TomlDocument;
  readonly decode: (spelled: string) => string;
}

/** Shared by a view and the outline above it. */
const READS = new WeakMap<Source, Read>();

async function readDocument(utf8: Source, context: ProcessContext): Promise<SourceDocument<TomlNode>> {
  const read = READS.get(utf8) ?? (await parse(utf8, context));
  READS.set(utf8, read);
  const { root } = read.document;
  context.describe({ keys: root.items.length });
  const tree = ([of = root]: readonly TomlNode[], bounds: TreeBounds): Node =>
    new TreeMaker(languageOf(read), bounds).node(of);
  return {
    toJson: () => writeJsonLine(tree([root], WHOLE), ''),
    elidable: (pointer) => elidable(read, pointer),
    roots: (pointer = '') => [find(read, pointer)],
    tree,
  };
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

function elidable(read: Read, pointer: string): ElidableText {
  const { text, document, decode } = read;
  const root = find(read, pointer);
  const stretches = pointer === '' ? [{ from: 0, to: text.length }] : stretchesOf(text, document, root);
  const comments = commentRuns(text, document.comments);
  const glyph = glyphOutside(text);
  const scope = { source: text, document, comments, root, stretches, glyph, decode, lengths: new Map() };
  return {
    source: text,
    scope: stretches,
    prefix: '',
    opens: false,
    elide: (limits) => new TomlElider(scope, limits).run(),
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

const find = ({ document }: Read, pointer: string): TomlNode =>
  valueAt(document.root, pointer, pointerTokens(pointer)).node;

const languageOf = ({ text, decode }: Read): Language<TomlNode> => ({
  scalar: ({ kind, from, to }, most) => {
    const spelled = text.slice(from, to);
    const literal = kind === 'literal' ? literalJson(spelled) : undefined;
    if (literal !== undefined) return { kind: 'literal', text: literal };
    if (kind === 'string' && to - from - 2 > most)
      return { kind: 'string', text: spelled.slice(1, most + 1), of: to - from - 2 };
    const value = kind === 'string' ? decode(spelled) : spelled;
    return { kind: 'string', text: value, of: value.length };
  },
});

/** Numbers with their original digits; undefined for dates, `inf` and `nan`. */
function literalJson(spelled: string): string | undefined {
  if (spelled === 'true' || spelled === 'false') return spelled;
  const digits = spelled.replaceAll('_', '').replace(/^\+/, '');
  if (/^0[xob]/.test(digits)) return BigInt(digits).toString();
  return /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(digits) ? digits : undefined;
}
