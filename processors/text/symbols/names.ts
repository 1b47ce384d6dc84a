// Finds the names a node declares, and their owners.

import type { Node } from 'web-tree-sitter';
import type { SymbolRule } from './languages.ts';

const NAME =
  /^(?:computed_property_name|constant|name|operator|operator_cast|operator_name|destructor_name|setter|simple_symbol|string|variable_name|word)$|(?<!qualified_|scoped_|scoped_type_)identifier$/;
/** Argument types that name what a call defines. */
export const NAMING: RegExp = /symbol$|string$/;
/** Several names assigned from one value. */
const LIST = /^(?:(?:pattern|left_assignment)_list|(?:tuple|list|object|array)_pattern)$/;
const SHORTHAND = 'shorthand_property_identifier_pattern';

/** The `name` of `name = value` in a pattern. */
const valueless = (node: Node): Node => node.childForFieldName('left') ?? node;

/** The nodes that name what `node` declares. */
export function namesOf(node: Node, rule: SymbolRule): Node[] {
  if (NAME.test(node.type)) return [node];
  const { name = 'name', otherwise } = rule;
  let fields = node.childrenForFieldName(name).filter(({ isNamed }) => isNamed);
  if (fields.length === 0 && otherwise !== undefined) fields = node.childrenForFieldName(otherwise);
  if (rule.whole) return fields;
  // A few grammars have no name field.
  if (fields.length === 0 && rule.name === undefined)
    fields = node.namedChildren.filter(({ type }) => NAME.test(type)).slice(0, 1);
  const targets = fields
    .flatMap((field) => (LIST.test(field.type) ? field.namedChildren : [field]))
    .map((target) => (target.type === 'object_assignment_pattern' ? valueless(target) : target));
  return targets.flatMap((target) => {
    if (target.type === SHORTHAND) return [target];
    if (rule.targets && !rule.targets.includes(target.type)) return [];
    return nameOf(target) ?? (name === 'type' ? [target] : []);
  });
}

/** The name a node leads to, through any depth of declarators and qualifiers. */
function nameOf(node: Node): Node | undefined {
  let at: Node | null = node;
  for (let depth = 0; at && depth < 10; depth += 1) {
    if (NAME.test(at.type)) return at;
    at =
      at.childForFieldName('declarator') ??
      at.childForFieldName('name') ??
      at.childForFieldName('property') ??
      at.childForFieldName('type') ??
      at.childForFieldName('trait') ??
      at.namedChildren.find(({ type }) => NAME.test(type) || type.endsWith('_declarator')) ??
      null;
  }
  return undefined;
}

/** Node types of qualified names, with the field of the qualifier. */
const QUALIFIED: ReadonlyMap<string, string> = new Map([
  ['member_expression', 'object'],
  ['qualified_identifier', 'scope'],
]);
const PLAIN_PATH = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::)[\p{L}_$][\p{L}\p{N}_$]*)*$/u;

/** The owner of `named`, as written in the declaration `node`. */
export function ownerOf(node: Node, named: Node, rule: SymbolRule): string | undefined {
  if (rule.owner !== undefined) {
    const type = node.childForFieldName(rule.owner)?.descendantsOfType('type_identifier')[0];
    return type && nameIn(type);
  }
  const parts: string[] = [];
  let inner = named;
  for (let at = named.parent; at && parts.length < MAX_OWNERS; at = inner.parent) {
    const field = QUALIFIED.get(at.type);
    const before = field === undefined ? null : at.childForFieldName(field);
    if (!before || before.id === inner.id) break;
    parts.unshift(
      before.type === 'template_type' ? nameIn(before.childForFieldName('name') ?? before) : nameIn(before),
    );
    inner = at;
  }
  const owner = parts.join(named.parent?.type === 'qualified_identifier' ? '::' : '.');
  return PLAIN_PATH.test(owner) ? owner : undefined;
}

/** Longer names are computed expressions. */
export const MAX_NAME = 120;
const MAX_OWNERS = 8;

export function nameIn({ type, text }: Node): string {
  const plain = text.slice(0, MAX_NAME + 1).replaceAll(/\s+/g, ' ');
  if (type.endsWith('string')) return plain.replaceAll(/^["'`]|["'`]$/g, '');
  if (type === 'simple_symbol') return plain.replace(/^:/, '');
  return type === 'operator_cast' ? plain.replace(/ ?\(.*/, '') : plain;
}
