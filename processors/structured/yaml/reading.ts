// YAML: the original text if it fits, else a valid YAML view with the rest left out and counted in comments. Nothing is
// typed, expanded or constructed; tags and aliases keep their spelling.

import type * as Yaml from 'yaml';
import {
  type OutlineLine,
  type Part,
  type ProcessContext,
  quoted,
  type Source,
} from '../../../src/contract/index.ts';
import { type ElidableText, glyphOutside, type Stretch } from '../elision.ts';
import { hasWildcard, itemIndex, notFound, pointerTokens, repeatedNames } from '../pointer.ts';
import { outlineDocument, processDocument, readForTree, type SourceDocument } from '../source-document.ts';
import { valueAt } from '../source-node.ts';
import { YamlElider, type YamlScope } from './elision.ts';
import { Anchors, yamlToJson, yamlTree } from './json.ts';
import type { YamlNode, YamlStream } from './node.ts';
import { readYaml } from './parse.ts';

/** Aliases may make a document longer as JSON, up to this factor of `maxTreeBytes`. */
const JSON_FACTOR = 4;
const MAX_DUPLICATES_NAMED = 5;

/** A view, the next page of a walk, or the whole stream. */
export const process = (source: Source, context: ProcessContext): AsyncGenerator<Part> =>
  processDocument(source, context, read);

/** The schema of the document the request names, or of all of them. */
export const outline = (source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> =>
  outlineDocument(source, context, read);

/** Shared by a view and the outline above it. */
const STREAMS = new WeakMap<Source, { readonly text: string; readonly stream: YamlStream }>();

async function parsed(utf8: Source, context: ProcessContext): Promise<{ text: string; stream: YamlStream }> {
  const known = STREAMS.get(utf8);
  if (known) return known;
  const text = await readForTree(utf8, 'YAML', context);
  const made = { text, stream: await readYaml(text, context.signal) };
  STREAMS.set(utf8, made);
  return made;
}

async function read(utf8: Source, context: ProcessContext): Promise<SourceDocument<YamlNode>> {
  const { text, stream } = await parsed(utf8, context);
  context.describe({ documents: stream.documents.length });
  warnOfDuplicates(text, stream, context);
  const library = await import('yaml');
  const all = stream.documents.map(({ root }) => root);
  return {
    toJson: ({ maxTreeBytes }) => yamlToJson(text, stream, library, maxTreeBytes * JSON_FACTOR),
    elidable: (pointer) => elidable(text, stream, library, pointer),
    roots: (pointer) =>
      pointer === undefined ? all : [find(text, stream, pointer).node].filter((node) => node !== undefined),
    tree: (roots, bounds) => yamlTree(text, stream, library, roots, bounds),
  };
}

/** Warns of duplicate keys in what the request names, and on the way to it. */
function warnOfDuplicates(text: string, stream: YamlStream, { selection, warn }: ProcessContext): void {
  const { pointer } = selection;
  let { duplicates } = stream;
  if (duplicates.length === 0) return;
  if (pointer !== undefined && !hasWildcard(pointer)) {
    const { node, repeated } = find(text, stream, pointer);
    if (repeated.length > 0) warn(repeatedNames(repeated));
    duplicates = duplicates.filter(({ offset }) => node && offset >= node.from && offset < node.to);
  }
  if (duplicates.length === 0) return;
  const named = duplicates
    .slice(0, MAX_DUPLICATES_NAMED)
    .map(({ name, offset }) => `${quoted(name)} on line ${text.slice(0, offset).split('\n').length}`)
    .join(', ');
  const more = duplicates.length - MAX_DUPLICATES_NAMED;
  warn({
    code: 'DUPLICATE_KEYS',
    message: `Duplicate keys in one mapping: ${named}${more > 0 ? ` and ${more} more` : ''}; parsers differ on which one they use.`,
  });
}

interface Found {
  readonly node: YamlNode | undefined;
  /** Names in the pointer that occur again in their mappings. */
  readonly repeated: readonly string[];
  readonly directives: string;
}

/** The value at `pointer`; in a stream of several documents its first token is the 0-based number of the document. */
function find(source: string, stream: YamlStream, pointer: string): Found {
  const tokens = pointerTokens(pointer);
  const { documents } = stream;
  const several = documents.length > 1;
  const number = several ? itemIndex(tokens[0] ?? '', documents.length) : 0;
  if (number === undefined) throw notFound(pointer, tokens, 0, documents.length);
  const document = documents[number];
  if (!document) {
    if (tokens.length > 0) throw notFound(pointer, tokens, 0, 'empty');
    return { node: undefined, repeated: [], directives: '' };
  }
  let anchors: Anchors | undefined;
  const target = (node: YamlNode): YamlNode => {
    if (node.kind !== 'alias') return node;
    anchors ??= new Anchors(source, stream.anchors);
    return anchors.target(node) ?? node;
  };
  const named = valueAt(document.root, pointer, tokens, several ? 1 : 0, target);
  return { ...named, directives: document.directives };
}

function elidable(source: string, stream: YamlStream, library: typeof Yaml, pointer: string): ElidableText {
  const glyph = glyphOutside(source);
  let scope: YamlScope = {
    source,
    stream,
    yaml: library,
    comments: stream.comments,
    roots: stream.documents,
    stretches: [{ from: 0, to: source.length }],
    pointer: '',
    glyph,
    lengths: new Map(),
  };
  let prefix = '';
  if (pointer !== '') {
    const { node, directives } = find(source, stream, pointer);
    if (node) {
      const { stretch, indent } = stretchOf(source, node);
      scope = { ...scope, roots: [node], stretches: [stretch], pointer };
      prefix = `${directives === '' ? '' : `${directives}---\n`}${indent}`;
    }
  }
  return {
    source,
    scope: scope.stretches,
    prefix,
    opens: false,
    elide: (limits) => new YamlElider(scope, limits).run(),
  };
}

/** A value's own characters, with the indentation its first line lacks. */
function stretchOf(source: string, node: YamlNode): { stretch: Stretch; indent: string } {
  if (node.style !== 'block' || node.from < node.body)
    return { stretch: { from: node.from, to: node.to }, indent: '' };
  const start = source.lastIndexOf('\n', node.from - 1) + 1;
  const lead = source.slice(start, node.from);
  const end = node.to > 0 && source[node.to - 1] === '\n' ? node.to - 1 : source.indexOf('\n', node.to);
  const to = end < 0 ? source.length : end + 1;
  if (lead.trim() === '') return { stretch: { from: start, to }, indent: '' };
  return { stretch: { from: node.from, to }, indent: ' '.repeat(lead.length) };
}
