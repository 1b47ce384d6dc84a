// The nodes of a YAML stream as the tree a schema is built from: bounded, aliases resolved, only the beginning of
// strings.

import type * as Yaml from 'yaml';
import type { Entry, Node } from '../tree/node.ts';
import { SCHEMA_LIMITS } from '../tree/schema-lines.ts';
import { Anchors, scalarJson } from './json.ts';
import type { YamlItem, YamlNode, YamlStream } from './node.ts';

/** Maximum nodes created, however often aliases repeat them. */
const MAX_NODES = 200_000;

export class SchemaNodes {
  readonly #source: string;
  readonly #yaml: typeof Yaml;
  readonly #anchors: Anchors;
  #made = 0;

  constructor(source: string, stream: YamlStream, yaml: typeof Yaml) {
    this.#source = source;
    this.#yaml = yaml;
    this.#anchors = new Anchors(source, stream.anchors);
  }

  /** Several documents as items of one array. */
  list(roots: readonly YamlNode[]): Node {
    const items = roots.slice(0, SCHEMA_LIMITS.items).map((root) => this.node(root, 2));
    return { kind: 'array', items, of: roots.length };
  }

  node(node: YamlNode, level = 1): Node {
    this.#made += 1;
    const isCut = level > SCHEMA_LIMITS.depth || this.#made > MAX_NODES;
    const of = node.items.length;
    switch (node.kind) {
      case 'object': {
        if (isCut && of > 0) return { kind: 'cut', what: 'object', of };
        const entries: Entry[] = [];
        for (const { name, value } of this.#room(node.items))
          entries.push({ key: name, value: this.node(value, level + 1) });
        return { kind: 'object', entries, of };
      }
      case 'array': {
        if (isCut && of > 0) return { kind: 'cut', what: 'array', of };
        const items: Node[] = [];
        for (const { value } of this.#room(node.items)) items.push(this.node(value, level + 1));
        return { kind: 'array', items, of };
      }
      case 'alias': {
        const target = isCut ? undefined : this.#anchors.target(node);
        return target ? this.node(target, level + 1) : { kind: 'literal', text: 'null' };
      }
      case 'scalar':
        return this.#scalar(node);
    }
  }

  /** Yields members while there is room for more nodes. */
  *#room(items: readonly YamlItem[]): Generator<YamlItem> {
    for (const item of items) {
      if (this.#made > MAX_NODES) return;
      yield item;
    }
  }

  #scalar(node: YamlNode): Node {
    const of = node.to - node.body;
    if (of > SCHEMA_LIMITS.string)
      return { kind: 'string', text: this.#source.slice(node.body, node.body + SCHEMA_LIMITS.string), of };
    const json = scalarJson(this.#source, node, this.#yaml);
    if (!json.startsWith('"')) return { kind: 'literal', text: json };
    // Produced by JSON.stringify.
    const text = JSON.parse(json) as string;
    return { kind: 'string', text, of: text.length };
  }
}
