// The schema of a structured document, inferred from its values: kinds, counts and sizes at each place. A place is a
// path from the root, regardless of which array item or dictionary name it passes through.

import type { Node } from './node.ts';

export type ScalarKind = 'string' | 'number' | 'boolean' | 'null';

/** Maximum distinct short strings recorded per place. */
const MAX_DISTINCT = 5;
const MAX_EXAMPLE_LENGTH = 24;
/** Maximum names distinguished at one place; the remaining ones share one schema. */
const MAX_NAMES = 2000;
/** An object with at least this many names is a dictionary if its values are alike. */
const LEAST_NAMES = 12;
const LEAST_SCALAR_NAMES = 32;
/** Minimum members of the same shape to merge into one line. */
const LEAST_ALIKE = 3;

/** Minimum and maximum of a count. */
export interface Span {
  readonly least: number;
  readonly most: number;
}

function widened(span: Span | undefined, value: number): Span {
  return span
    ? { least: Math.min(span.least, value), most: Math.max(span.most, value) }
    : { least: value, most: value };
}

/** What was found at one place. */
export class Schema {
  /** Values seen. */
  count = 0;
  readonly scalars: Map<ScalarKind, number> = new Map();
  /** Range of all numbers representable in JavaScript. */
  numbers: Span | undefined;
  /** The distinct strings, while they are few and short. */
  strings: Set<string> | undefined = new Set();
  objects = 0;
  /** Objects all of whose names were inspected. */
  complete = 0;
  /** Names per object. */
  names: Span | undefined;
  /** Names in all objects together, including those not inspected. */
  namesOf = 0;
  readonly members: Map<string, Schema> = new Map();
  /** Schema shared by the names that do not fit in `members`. */
  others: Schema | undefined;
  /** Sum over all names of the objects that have it; measures how alike the objects are. */
  memberships = 0;
  arrays = 0;
  /** Items per array. */
  lengths: Span | undefined;
  /** Items in all arrays together, including those not inspected. */
  itemsOf = 0;
  items: Schema | undefined;

  /** Adds one value. Content the node omits is only counted. */
  add(node: Node): void {
    this.count += 1;
    switch (node.kind) {
      case 'object':
        this.#addObject(node.of, node.entries.length);
        for (const { key, value } of node.entries) this.#member(key).add(value);
        break;
      case 'array':
        this.#addArray(node.of);
        for (const item of node.items) this.#item().add(item);
        break;
      case 'cut':
        if (node.what === 'object') this.#addObject(node.of, 0);
        else this.#addArray(node.of);
        break;
      case 'string':
        this.#addScalar('string');
        this.#addString(node.text, node.of);
        break;
      case 'literal':
        this.#addLiteral(node.text);
        break;
    }
  }

  /** Adds a parsed JSON value down to `levels` levels of containers; deeper ones are only counted. */
  addValue(value: unknown, levels: number): void {
    this.count += 1;
    if (typeof value === 'string') {
      this.#addScalar('string');
      this.#addString(value, value.length);
    } else if (typeof value === 'number') {
      this.#addScalar('number');
      if (Number.isFinite(value)) this.numbers = widened(this.numbers, value);
    } else if (Array.isArray(value)) {
      this.#addArray(value.length);
      if (levels > 0) for (const item of value) this.#item().addValue(item, levels - 1);
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value);
      this.#addObject(entries.length, levels > 0 ? entries.length : 0);
      if (levels > 0) for (const [name, inner] of entries) this.#member(name).addValue(inner, levels - 1);
    } else this.#addScalar(value === null ? 'null' : 'boolean');
  }

  #addObject(of: number, looked: number): void {
    this.objects += 1;
    if (looked === of) this.complete += 1;
    this.namesOf += of;
    this.names = widened(this.names, of);
  }

  #addArray(of: number): void {
    this.arrays += 1;
    this.itemsOf += of;
    this.lengths = widened(this.lengths, of);
  }

  #member(name: string): Schema {
    this.memberships += 1;
    return memberOf(this, name);
  }

  #item(): Schema {
    this.items ??= new Schema();
    return this.items;
  }

  #addScalar(kind: ScalarKind): void {
    this.scalars.set(kind, (this.scalars.get(kind) ?? 0) + 1);
  }

  #addLiteral(text: string): void {
    const kind = text === 'true' || text === 'false' ? 'boolean' : text === 'null' ? 'null' : 'number';
    this.#addScalar(kind);
    const value = kind === 'number' ? Number(text) : Number.NaN;
    if (Number.isFinite(value)) this.numbers = widened(this.numbers, value);
  }

  #addString(text: string, of: number): void {
    if (!this.strings) return;
    if (of > MAX_EXAMPLE_LENGTH || text.length < of) this.strings = undefined;
    else if (this.strings.add(text).size > MAX_DISTINCT) this.strings = undefined;
  }
}

/** The schema that collects the values under `name`. */
function memberOf(schema: Schema, name: string): Schema {
  const known = schema.members.get(name);
  if (known) return known;
  const made = new Schema();
  if (schema.members.size < MAX_NAMES) {
    schema.members.set(name, made);
    return made;
  }
  schema.others ??= made;
  return schema.others;
}

/** The schema of one value. */
export function schemaOf(node: Node): Schema {
  const schema = new Schema();
  schema.add(node);
  return schema;
}

/** The schema of one array of `of` items, where `items` is the schema of those inspected. */
export function schemaOfItems(items: Schema, of: number): Schema {
  const schema = new Schema();
  return Object.assign(schema, { count: 1, arrays: 1, lengths: widened(undefined, of), itemsOf: of, items });
}

/** True if the whole value was inspected, down to the levels a schema has. */
export function isComplete({ items, itemsOf, members, memberships, namesOf, others }: Schema): boolean {
  const inner = [...members.values(), ...(others ? [others] : []), ...(items ? [items] : [])];
  if (members.size > 0 && memberships < namesOf) return false;
  if (items && items.count < itemsOf) return false;
  return inner.every(isComplete);
}

/** The common schema of all values of a dictionary; undefined if the object names are field names. */
export function dictionaryOf(schema: Schema): Schema | undefined {
  const { objects, members, memberships, others } = schema;
  if (objects === 0 || members.size < LEAST_NAMES) return undefined;
  // Names that recur in object after object are the fields of a record.
  if (objects > 1 && memberships > objects * members.size * 0.3) return undefined;
  const common = merged([...members.values(), ...(others ? [others] : [])]);
  const isAlike =
    common.objects + common.arrays === 0
      ? members.size >= LEAST_SCALAR_NAMES && kindsOf(common) === 1
      : kindsOf(common) === 1 && (common.objects === 0 || areRecords(common));
  return isAlike ? common : undefined;
}

/** True for objects that share most of their names, or that are dictionaries themselves. */
function areRecords(common: Schema): boolean {
  const { objects, members, memberships } = common;
  if (memberships >= objects * members.size * 0.4) return true;
  // The probability that a name of one object occurs in another.
  const shared = [...members.values()].reduce((sum, { count }) => sum + count ** 2, 0);
  return shared >= objects * memberships * 0.6 || dictionaryOf(common) !== undefined;
}

/** Number of kinds of values, excluding null. */
function kindsOf({ scalars, objects, arrays }: Schema): number {
  const kinds = [...scalars.keys()].filter((kind) => kind !== 'null').length;
  return kinds + (objects > 0 ? 1 : 0) + (arrays > 0 ? 1 : 0);
}

function merged(schemas: readonly Schema[]): Schema {
  const all = new Schema();
  for (const schema of schemas) merge(all, schema);
  return all;
}

function merge(into: Schema, from: Schema): void {
  into.count += from.count;
  for (const [kind, count] of from.scalars) into.scalars.set(kind, (into.scalars.get(kind) ?? 0) + count);
  into.numbers = joined(into.numbers, from.numbers);
  const strings = into.strings && from.strings ? new Set([...into.strings, ...from.strings]) : undefined;
  into.strings = strings && strings.size <= MAX_DISTINCT ? strings : undefined;
  into.objects += from.objects;
  into.complete += from.complete;
  into.names = joined(into.names, from.names);
  into.namesOf += from.namesOf;
  into.memberships += from.memberships;
  into.arrays += from.arrays;
  into.lengths = joined(into.lengths, from.lengths);
  into.itemsOf += from.itemsOf;
  for (const [name, member] of from.members) merge(memberOf(into, name), member);
  if (from.others) {
    into.others ??= new Schema();
    merge(into.others, from.others);
  }
  if (from.items) {
    into.items ??= new Schema();
    merge(into.items, from.items);
  }
}

function joined(a: Span | undefined, b: Span | undefined): Span | undefined {
  if (!a || !b) return a ?? b;
  return { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };
}

/** Merges members with the same names and kinds below them; single ones stay unchanged. */
export function alikeMembers(
  schema: Schema,
): { readonly names: readonly string[]; readonly member: Schema }[] {
  const groups = new Map<string, string[]>();
  for (const [name, member] of schema.members) {
    const key = member.members.size === 0 ? `"${name}` : shapeOf(member);
    const group = groups.get(key);
    if (group) group.push(name);
    else groups.set(key, [name]);
  }
  return [...groups.values()].flatMap((names) => {
    const members = names.flatMap((name) => schema.members.get(name) ?? []);
    if (names.length >= LEAST_ALIKE) return [{ names, member: merged(members) }];
    return members.map((member, index) => ({ names: names.slice(index, index + 1), member }));
  });
}

/** Names and kinds, without counts and values. */
function shapeOf({ scalars, objects, members, arrays, items }: Schema): string {
  const inner = [...members].map(([name, member]) => `${JSON.stringify(name)}:${shapeOf(member)}`);
  const object = objects > 0 ? `{${inner.sort().join()}}` : '';
  const array = arrays > 0 ? `[${items ? shapeOf(items) : ''}]` : '';
  return `${[...scalars.keys()].sort().join('|')}${object}${array}`;
}

/** Average occurrences of a name in the document per occurrence in the schema: the saving. */
export function repetitionOf(schema: Schema): number {
  let places = 0;
  let values = 0;
  const visit = (at: Schema): void => {
    const common = dictionaryOf(at);
    if (common) visit(common);
    else
      for (const member of at.members.values()) {
        places += 1;
        values += member.count;
        visit(member);
      }
    if (at.items) visit(at.items);
  };
  visit(schema);
  return places === 0 ? 0 : values / places;
}
