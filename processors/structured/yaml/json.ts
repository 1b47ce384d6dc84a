// YAML values as a tree, for schemas and JSON: numbers keep their digits, aliases are expanded within a limit.

import type * as Yaml from 'yaml';
import { writeJsonLine } from '../json/text.ts';
import { type Language, type SourceItem, type TreeBounds, TreeMaker, WHOLE } from '../source-node.ts';
import type { Node } from '../tree/node.ts';
import type { YamlAnchor, YamlNode, YamlStream } from './node.ts';
import { scalarText } from './scalar.ts';

/**
 * The stream as JSON: the value of one document, or an array for several. An alias to a value that contains it becomes
 * the string `*name`. @throws {ReaderError} LIMIT_EXCEEDED if the text would be longer than `maxLength`.
 */
export function yamlToJson(source: string, stream: YamlStream, yaml: typeof Yaml, maxLength: number): string {
  const bounds = { ...WHOLE, characters: maxLength };
  const roots = stream.documents.map(({ root }) => root);
  return roots.length === 0 ? 'null' : writeJsonLine(yamlTree(source, stream, yaml, roots, bounds), '');
}

/** `roots` as a tree: the value of one, or an array of several. */
export function yamlTree(
  source: string,
  stream: YamlStream,
  yaml: typeof Yaml,
  roots: readonly YamlNode[],
  bounds: TreeBounds,
): Node {
  const maker = new TreeMaker(new YamlLanguage(source, stream, yaml), bounds);
  const [single] = roots;
  if (single && roots.length === 1) return maker.node(single);
  return { kind: 'array', items: roots.map((root) => maker.node(root, 2)), of: roots.length };
}

/** Resolves aliases to their values. */
export class Anchors {
  readonly #source: string;
  readonly #named = new Map<string, YamlAnchor[]>();

  /** `anchors` in source order. */
  constructor(source: string, anchors: readonly YamlAnchor[]) {
    this.#source = source;
    for (const anchor of anchors) {
      const named = this.#named.get(anchor.name);
      if (named) named.push(anchor);
      else this.#named.set(anchor.name, [anchor]);
    }
  }

  /** The value with the last anchor of that name before the alias. */
  target(alias: YamlNode): YamlNode | undefined {
    const named = this.#named.get(this.#source.slice(alias.body + 1, alias.to));
    return named?.findLast(({ offset }) => offset < alias.body)?.node;
  }
}

class YamlLanguage implements Language<YamlNode> {
  readonly #source: string;
  readonly #yaml: typeof Yaml;
  readonly #anchors: Anchors;

  constructor(source: string, stream: YamlStream, yaml: typeof Yaml) {
    this.#source = source;
    this.#yaml = yaml;
    this.#anchors = new Anchors(source, stream.anchors);
  }

  target(alias: YamlNode): YamlNode | undefined {
    return this.#anchors.target(alias);
  }

  aliasText({ body, to }: YamlNode): string {
    return this.#source.slice(body, to);
  }

  /** The text of the value that a key stands for, if it is an alias to one. */
  keyOf({ key }: SourceItem<YamlNode> & { readonly key?: YamlNode | undefined }): string | undefined {
    const target = key?.kind === 'alias' ? this.#anchors.target(key) : undefined;
    return target?.kind === 'scalar' ? scalarText(this.#source, target, this.#yaml) : undefined;
  }

  /** A scalar by the core schema (YAML 1.2.2, 10.3.2), digits preserved. */
  scalar(node: YamlNode, most: number): Node {
    const { body, to, tag, style } = node;
    if (to - body > most)
      return { kind: 'string', text: this.#source.slice(body, body + most), of: to - body };
    const text = scalarText(this.#source, node, this.#yaml);
    const typed = tag === undefined || /^!!(?:null|bool|int|float)$/.test(tag);
    const plain = style === 'plain' || style === 'empty' || tag !== undefined;
    const literal = typed && plain ? plainJson(text) : undefined;
    return literal === undefined
      ? { kind: 'string', text, of: text.length }
      : { kind: 'literal', text: literal };
  }
}

/** A number, boolean or null as JSON; undefined for text. */
function plainJson(text: string): string | undefined {
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return 'null';
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) return text.toLowerCase();
  if (text.length > 1000) return undefined;
  const number = /^([-+]?)(?=\.?\d)0*([1-9]\d*)?(?:(\.)(\d*))?([eE][-+]?\d+)?$/.exec(text);
  if (number) {
    const [, sign, whole, point, fraction, exponent] = number;
    return `${sign === '-' ? '-' : ''}${whole || '0'}${point ? `.${fraction || '0'}` : ''}${exponent ?? ''}`;
  }
  if (/^0o[0-7]+$|^0x[\da-fA-F]+$/.test(text)) return BigInt(text).toString();
  return undefined;
}
