// Reads a language whose documents are parsed whole and shown as their own text, such as YAML and TOML: a view, a walk,
// the JSON form, and a schema.

import {
  NotThisFormat,
  type OutlineLine,
  type Part,
  type ProcessContext,
  ReaderError,
  type Source,
  type TextSource,
} from '../../src/contract/index.ts';
import { asJson, keepsLanguage } from './as-json.ts';
import { decodeUtf8 } from './byte-window.ts';
import { elidableLines, showElided } from './elided.ts';
import type { ElidableText } from './elision.ts';
import { levelsOf, type SourceNode, type TreeBounds } from './source-node.ts';
import { stretchOf } from './stretch.ts';
import type { Node } from './tree/node.ts';
import { schemaOf } from './tree/schema.ts';
import { SCHEMA_BOUNDS, schemaOutline, warnOfDepth } from './tree/schema-lines.ts';

/** A parsed document, or a stream of several. */
export interface SourceDocument<N extends SourceNode<N>> {
  /** @throws {ReaderError} LIMIT_EXCEEDED */
  toJson(limits: ProcessContext['limits']): string;
  /** The document, or the value that `pointer` names. @throws {ReaderError} BAD_INPUT if it is not found */
  elidable(pointer: string): ElidableText;
  /** The value that `pointer` names; without it, every document. */
  roots(pointer: string | undefined): readonly N[];
  /** `roots` as a tree: the value of one, or an array of several. */
  tree(roots: readonly N[], bounds: TreeBounds): Node;
}

/** Parses a text; reports facts and warnings at every call, but parses each text once. */
export type ReadDocument<N extends SourceNode<N>> = (
  source: TextSource,
  context: ProcessContext,
) => Promise<SourceDocument<N>>;

/** The parts of an answer. */
export async function* processDocument<N extends SourceNode<N>>(
  source: Source,
  context: ProcessContext,
  read: ReadDocument<N>,
): AsyncGenerator<Part> {
  const { selection } = context;
  const utf8 = await context.text(source);
  if (selection.all && selection.pointer === undefined && keepsLanguage(context)) {
    yield* stretchOf(utf8, 0, utf8.size, context.signal);
    return;
  }
  const document = await read(utf8, context);
  const parts = await asJson(utf8, context, () => document.toJson(context.limits));
  if (parts) yield* parts;
  else {
    const text = elidableLines(document.elidable(selection.pointer ?? ''), context);
    yield* showElided(() => text, context);
  }
}

/** The schema of the value the request names, or of all documents. */
export async function* outlineDocument<N extends SourceNode<N>>(
  source: Source,
  context: ProcessContext,
  read: ReadDocument<N>,
): AsyncGenerator<OutlineLine> {
  const { pointer, brief } = context.selection;
  const document = await read(await context.text(source), context);
  const roots = document.roots(pointer);
  const several = roots.length > 1;
  const levels = roots.reduce((most, root) => Math.max(most, levelsOf(root)), 0);
  warnOfDepth(levels + (several ? 1 : 0), context);
  if (roots.length === 0) return;
  const schema = schemaOf(document.tree(roots, SCHEMA_BOUNDS));
  yield* schemaOutline(schema, brief, several ? `${roots.length} documents` : undefined);
}

/**
 * The whole text of a file to be parsed into a tree. `language` is the name used in messages.
 * @throws {NotThisFormat} NOT_VALIDATED above `maxTreeBytes`, if the request can be served as text
 * @throws {ReaderError} LIMIT_EXCEEDED above it, if the request needs the tree
 */
export async function readForTree(
  source: Source,
  language: string,
  { limits, selection }: ProcessContext,
): Promise<string> {
  if (source.size <= limits.maxTreeBytes) return decodeUtf8(await source.bytes());
  const bound = `larger than ${limits.maxTreeBytes} bytes (limit \`maxTreeBytes\`), the maximum for parsing ${language}.`;
  if (selection.pointer !== undefined || selection.format === 'json')
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The file is ${bound}`,
      'Omit `pointer` and `format` to read it as text by `lines`.',
    );
  throw new NotThisFormat({ code: 'NOT_VALIDATED', message: `Shown as text: the file is ${bound}` });
}
