// Converts a YAML value to JSON text: numbers keep their digits, aliases are expanded within a limit on the output.

import type * as Yaml from 'yaml';
import { jsonString, ReaderError } from '../../../src/contract/index.ts';
import type { YamlAnchor, YamlNode, YamlStream } from './node.ts';
import { scalarText } from './tree.ts';

/** Depth beyond which aliases are not expanded; an alias target adds at most the maximum depth of a document. */
const MAX_DEPTH = 400;

/**
 * The stream as JSON: the value of one document, or an array for several. An alias to a value that contains it becomes
 * the string `*name`. @throws {ReaderError} LIMIT_EXCEEDED if the text would be longer than `maxLength`.
 */
export function yamlToJson(source: string, stream: YamlStream, yaml: typeof Yaml, maxLength: number): string {
  const writer = new JsonWriter(source, stream, yaml, maxLength);
  const [first] = stream.documents;
  if (!first) return 'null';
  if (stream.documents.length === 1) writer.value(first.root);
  else writer.list(stream.documents.map(({ root }) => root));
  return writer.text();
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
    const named = this.#named.get(this.#source.slice(alias.body + 1, alias.to)) ?? [];
    let low = 0;
    let high = named.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((named[middle]?.offset ?? 0) < alias.body) low = middle + 1;
      else high = middle;
    }
    return named[low - 1]?.node;
  }
}

class JsonWriter {
  readonly #source: string;
  readonly #anchors: Anchors;
  readonly #yaml: typeof Yaml;
  readonly #maxLength: number;
  readonly #pieces: string[] = [];
  readonly #open = new Set<YamlNode>();
  #length = 0;
  #depth = 0;

  constructor(source: string, stream: YamlStream, yaml: typeof Yaml, maxLength: number) {
    this.#source = source;
    this.#anchors = new Anchors(source, stream.anchors);
    this.#yaml = yaml;
    this.#maxLength = maxLength;
  }

  text(): string {
    return this.#pieces.join('');
  }

  #write(text: string): void {
    this.#length += text.length;
    if (this.#length > this.#maxLength)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `With its aliases expanded, the document exceeds ${this.#maxLength} characters as JSON.`,
        'Omit `format` to read it as YAML.',
      );
    this.#pieces.push(text);
  }

  list(nodes: readonly YamlNode[]): void {
    this.#write('[');
    nodes.forEach((node, index) => {
      if (index > 0) this.#write(', ');
      this.value(node);
    });
    this.#write(']');
  }

  value(node: YamlNode): void {
    switch (node.kind) {
      case 'object':
        this.#enter(node);
        this.#write('{');
        node.items.forEach(({ name, key, value }, index) => {
          this.#write(`${index > 0 ? ', ' : ''}${jsonString(this.#keyOf(key) ?? name)}: `);
          this.value(value);
        });
        this.#write('}');
        this.#leave(node);
        break;
      case 'array':
        this.#enter(node);
        this.list(node.items.map(({ value }) => value));
        this.#leave(node);
        break;
      case 'alias':
        this.#alias(node);
        break;
      case 'scalar':
        this.#write(scalarJson(this.#source, node, this.#yaml));
        break;
    }
  }

  /** The text of the value that a key stands for, if it is an alias to one. */
  #keyOf(key: YamlNode | undefined): string | undefined {
    const target = key?.kind === 'alias' ? this.#anchors.target(key) : undefined;
    return target?.kind === 'scalar' ? scalarText(this.#source, target, this.#yaml) : undefined;
  }

  #alias(node: YamlNode): void {
    const target = this.#anchors.target(node);
    if (target === undefined || this.#open.has(target) || this.#depth >= MAX_DEPTH) {
      this.#write(JSON.stringify(this.#source.slice(node.body, node.to)));
      return;
    }
    this.value(target);
  }

  #enter(node: YamlNode): void {
    this.#open.add(node);
    this.#depth++;
  }

  #leave(node: YamlNode): void {
    this.#open.delete(node);
    this.#depth--;
  }
}

/** A scalar by the core schema (YAML 1.2.2, 10.3.2), digits preserved. */
export function scalarJson(source: string, node: YamlNode, yaml: typeof Yaml): string {
  const text = scalarText(source, node, yaml);
  const typed = node.tag === undefined || /^!!(?:null|bool|int|float)$/.test(node.tag);
  const plain = node.style === 'plain' || node.style === 'empty' || node.tag !== undefined;
  return (typed && plain && plainJson(text)) || jsonString(text);
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
