// The text of a definition before its body, on one line, without comments and without sibling definitions.

import type { Node } from 'web-tree-sitter';

const MAX_SIGNATURE = 160;
const COMMENT = /comment$/;
const COMMENT_MARK = /\/[/*]|#|--/;
/** Multi-line values that mean nothing on one line. */
const LITERAL = /^(?:object|array|dictionary|list|composite_literal|hash|initializer_list)$/;
/** Node types of types whose members follow in braces. */
const SHAPE = /^(?:struct_type|interface_type)$/;
/** Wrappers around a single value. */
const WRAPPED = /^(?:parenthesized|as|satisfies)_expression$/;
const MAX_WRAPPED = 4;

export const assignedTo = (node: Node): Node | null =>
  node.childForFieldName('right') ?? node.childForFieldName('value');

/** The last value of `a = b = value`. */
export function lastValue(value: Node | null | undefined): Node | undefined {
  let at = value;
  for (let depth = 0; at && depth < MAX_WRAPPED; depth += 1) {
    if (at.type === 'assignment_expression') at = at.childForFieldName('right');
    else if (WRAPPED.test(at.type)) at = at.namedChildren[0];
    else return at;
  }
  return at ?? undefined;
}

/** One of several definitions of a declaration: its own part, and the first part. */
export interface Shared {
  readonly part: Node;
  readonly first: Node;
}

/** The signature of `node` in `text`; if it makes several definitions, that of one of them. */
export function signatureOf(text: string, node: Node, shared?: Shared): string {
  if (!shared) return oneLine(`${keywordOf(node)}${headOf(text, node)}`);
  const before = text.slice(
    node.startIndex,
    Math.min(shared.first.startIndex, node.startIndex + MAX_SIGNATURE),
  );
  const type = node.childForFieldName('type');
  // In Go the type follows the names.
  const after = type && type.startIndex > shared.part.endIndex ? ` ${headOf(text, type)}` : '';
  return oneLine(
    `${keywordOf(node)}${/^[^{(=]*/.exec(before)?.[0] ?? ''} ${headOf(text, shared.part)}${after}`,
  );
}

/** The keyword of a declaration outside its declarators. */
function keywordOf(node: Node): string {
  const keyword = /^(type|const|var)_(?:spec|alias)$/.exec(node.type)?.[1];
  return keyword === undefined ? '' : `${keyword} `;
}

/** The text of `node` up to its body. */
function headOf(text: string, node: Node): string {
  const type = node.childForFieldName('type');
  const members = type?.childForFieldName('body');
  // The members of `typedef struct { … } Point` precede its name.
  if (members && members.startIndex > node.startIndex)
    return `${plain(text, node, node.startIndex, members.startIndex)} ${plain(text, node, members.endIndex, node.endIndex)}`;
  const value = lastValue(assignedTo(node) ?? node.namedChildren[0]?.childForFieldName('value'));
  const body =
    node.childForFieldName('body') ?? value?.childForFieldName('body') ?? value?.childForFieldName('block');
  const long =
    value && LITERAL.test(literalOf(value).type) && value.startPosition.row < value.endPosition.row;
  const ends = [
    body?.startIndex,
    long ? value.startIndex : undefined,
    type && SHAPE.test(type.type) ? type.child(0)?.endIndex : undefined,
  ].filter((end): end is number => end !== undefined && end > node.startIndex);
  return plain(text, node, node.startIndex, Math.min(node.endIndex, ...ends)).replace(/(?<!\s)\s*=\s*$/, '');
}

/** The values of one declaration form a list. */
const literalOf = (value: Node): Node =>
  value.type === 'expression_list' ? (value.namedChildren[0] ?? value) : value;

/** The text from `start` to `end` inside `node`, without comments. */
function plain(text: string, node: Node, start: number, end: number): string {
  const slice = text.slice(start, Math.min(end, start + 4 * MAX_SIGNATURE));
  if (!COMMENT_MARK.test(slice)) return slice;
  const kept: string[] = [];
  let at = start;
  const skip = (inside: Node): void => {
    for (const child of inside.children) {
      if (child.startIndex >= start + slice.length) return;
      if (child.endIndex <= at) continue;
      if (!COMMENT.test(child.type)) skip(child);
      else {
        kept.push(text.slice(at, child.startIndex));
        at = child.endIndex;
      }
    }
  };
  skip(node);
  return [...kept, text.slice(at, start + slice.length)].join(' ').replaceAll(/(?<!\s)\s+(?=[,)])/g, '');
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SIGNATURE ? `${line.slice(0, MAX_SIGNATURE)}…` : line;
}
