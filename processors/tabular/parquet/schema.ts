// The columns of a Parquet file: their types as people write them, and the schema by which hyparquet decodes them, in
// which values keep their stored form so that none loses precision.

import type { LogicalType, SchemaElement, SchemaTree } from 'hyparquet';

/** Deeper columns are not read. */
const MAX_DEPTH = 64;
/** Characters of a type in an outline. */
const MAX_TYPE = 300;

/** True if every group of the schema has the children it states, so that it can be walked. */
export function isSoundSchema(schema: readonly SchemaElement[]): boolean {
  let at = 0;
  const walk = (depth: number): boolean => {
    const element = schema[at];
    at += 1;
    // A file may leave out what its type requires.
    if (typeof element?.name !== 'string' || depth > MAX_DEPTH) return false;
    for (let child = 0; child < (element.num_children ?? 0); child += 1) if (!walk(depth + 1)) return false;
    return depth === 0 || (element.num_children ?? 0) > 0 || element.type !== undefined;
  };
  return (schema[0]?.num_children ?? 0) >= 0 && walk(0) && at === schema.length;
}

/**
 * The schema for decoding: leaves lose their logical types, except for the keys of maps, which become the keys of
 * objects.
 */
export function physicalSchema(schema: readonly SchemaElement[]): SchemaElement[] {
  let keys = 0;
  return schema.map((element): SchemaElement => {
    // Newer files may state the logical type alone, and hyparquet assembles lists and maps by the older one.
    const kind = element.converted_type ?? element.logical_type?.type;
    if (element.num_children !== undefined && element.num_children > 0) {
      const { logical_type: logical, ...rest } = element;
      if (kind === 'MAP' || kind === 'MAP_KEY_VALUE') keys = 2;
      if (kind === 'MAP') return { ...rest, converted_type: 'MAP' };
      if (kind === 'LIST') return { ...rest, converted_type: 'LIST' };
      const { converted_type: _, ...plain } = rest;
      return logical?.type === 'VARIANT' ? { ...plain, logical_type: logical } : plain;
    }
    const { converted_type: _, logical_type: __, ...plain } = element;
    const isKey = keys > 0 && element.name === 'key';
    keys -= 1;
    return isKey && element.type === 'BYTE_ARRAY' ? { ...plain, converted_type: 'UTF8' } : plain;
  });
}

/** Groups whose children are the elements of a list or the entries of a map. */
export function kindOf({ element, children }: SchemaTree): 'list' | 'map' | 'struct' | 'leaf' {
  const [first] = children;
  if (!first) return 'leaf';
  const kind = element.converted_type ?? element.logical_type?.type;
  const alone = children.length === 1 && first.element.repetition_type === 'REPEATED';
  if (kind === 'LIST' && alone && first.children.length <= 1) return 'list';
  if (kind === 'MAP' && alone && first.children.length === 2) return 'map';
  return 'struct';
}

/** The element of a list. */
export function elementOf({ children: [first] }: SchemaTree): SchemaTree | undefined {
  return first?.children[0] ?? first;
}

/** The keys and the values of a map. */
export function entryOf({ children: [first] }: SchemaTree): readonly [SchemaTree, SchemaTree] | undefined {
  const [key, value] = first?.children ?? [];
  return key && value && [key, value];
}

/** `int64`, `decimal(10,2)`, `list<struct<name: string, age: int32>>`. */
export function typeOf(column: SchemaTree): string {
  const type = written(column, false);
  return type.length <= MAX_TYPE ? type : `${type.slice(0, MAX_TYPE)}…`;
}

function written(node: SchemaTree, inner: boolean): string {
  const kind = kindOf(node);
  const repeated = node.element.repetition_type === 'REPEATED' && !inner;
  const name = ((): string => {
    if (kind === 'leaf') return leafType(node.element);
    const element = kind === 'list' ? elementOf(node) : undefined;
    if (element) return `list<${written(element, true)}>`;
    const entry = kind === 'map' ? entryOf(node) : undefined;
    if (entry) return `map<${written(entry[0], true)}, ${written(entry[1], true)}>`;
    if (node.element.logical_type?.type === 'VARIANT') return 'variant';
    // As many as can be shown.
    const fields = node.children
      .slice(0, 50)
      .map((child) => `${child.element.name}: ${written(child, false)}`);
    return `struct<${fields.join(', ')}${node.children.length > 50 ? ', …' : ''}>`;
  })();
  return repeated ? `list<${name}>` : name;
}

const PHYSICAL: Readonly<Record<string, string>> = {
  BOOLEAN: 'boolean',
  INT32: 'int32',
  INT64: 'int64',
  INT96: 'timestamp(ns)',
  FLOAT: 'float',
  DOUBLE: 'double',
  BYTE_ARRAY: 'binary',
};

function leafType({
  type,
  type_length: length,
  converted_type: older,
  logical_type: logical,
  ...rest
}: SchemaElement): string {
  const unit = unitOf(logical);
  const zone = logical && 'isAdjustedToUTC' in logical && logical.isAdjustedToUTC ? ', UTC' : '';
  if (logical?.type === 'TIMESTAMP') return `timestamp(${unit}${zone})`;
  if (logical?.type === 'TIME') return `time(${unit}${zone})`;
  if (logical?.type === 'DECIMAL') return `decimal(${logical.precision},${logical.scale})`;
  if (logical?.type === 'INTEGER') return `${logical.isSigned ? '' : 'u'}int${logical.bitWidth}`;
  if (logical) return logical.type.toLowerCase();
  if (older === 'DECIMAL') return `decimal(${rest.precision ?? 0},${rest.scale ?? 0})`;
  if (older === 'UTF8') return 'string';
  const stamp = /^(TIME(?:STAMP)?)_(MILLIS|MICROS)$/.exec(older ?? '');
  if (stamp) return `${stamp[1]?.toLowerCase()}(${stamp[2] === 'MILLIS' ? 'ms' : 'us'}, UTC)`;
  if (older) return older.toLowerCase().replace('_', '');
  return type === 'FIXED_LEN_BYTE_ARRAY' ? `binary(${length ?? 0})` : (PHYSICAL[type ?? ''] ?? 'unknown');
}

/** `ms`, `us` or `ns`. */
export function unitOf(logical: LogicalType | undefined): 'ms' | 'us' | 'ns' {
  const unit = logical && 'unit' in logical ? logical.unit : 'MILLIS';
  return unit === 'NANOS' ? 'ns' : unit === 'MICROS' ? 'us' : 'ms';
}
