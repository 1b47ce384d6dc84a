// The elements of a document by name, with counts, to the third level: its shape in place of its content.

import type { Bytes } from '../../../src/contract/index.ts';
import type { XmlDocument } from './document.ts';
import type { Subject } from './view.ts';

const LEVELS = 3;

/** Different names told apart at one place; the rest are counted together. */
const MAX_NAMES = 50;

/** Elements visited; in a larger document the counts are of those before. */
const MAX_ELEMENTS = 2_000_000;

interface Group {
  readonly name: string;
  count: number;
  readonly inner: Map<string, Group>;
  /** Elements with names beyond the first 50. */
  others: number;
}

export interface Outline {
  /** One line per name, indented by level. */
  readonly lines: readonly string[];
  /** False when only the beginning was counted. */
  readonly complete: boolean;
}

/** @throws {Malformed} */
export async function outlineOf(document: XmlDocument, subject: Subject): Promise<Outline> {
  const { reader, contents } = document;
  const top: Group = { name: await reader.name(subject.open), count: 1, inner: new Map(), others: 0 };
  const open: { readonly group: Group | undefined; readonly end: Bytes }[] = [
    { group: top, end: subject.content.close },
  ];
  let visited = 1;
  let position = subject.open.end;
  while (open.length > 0 && visited < MAX_ELEMENTS) {
    const inside = open.at(-1);
    if (!inside || position >= inside.end) {
      open.pop();
      if (open.length > 0) position = (await reader.at(position)).end;
      continue;
    }
    const token = await reader.at(position);
    position = token.end;
    if (token.kind !== 'open') continue;
    visited++;
    const group = inside.group && enter(inside.group, await reader.name(token));
    if (token.empty) continue;
    const content = await contents.of(token);
    if (open.length + 1 >= LEVELS) position = content.end;
    else open.push({ group, end: content.close });
  }
  const lines: string[] = [];
  write(top, 0, lines);
  return { lines, complete: open.length === 0 };
}

function enter(parent: Group, name: string): Group | undefined {
  let group = parent.inner.get(name);
  if (!group) {
    if (parent.inner.size >= MAX_NAMES) {
      parent.others++;
      return undefined;
    }
    group = { name, count: 0, inner: new Map(), others: 0 };
    parent.inner.set(name, group);
  }
  group.count++;
  return group;
}

function write(group: Group, level: number, lines: string[]): void {
  lines.push(`${'  '.repeat(level)}${group.name}${group.count > 1 ? ` x ${group.count}` : ''}`);
  for (const inner of group.inner.values()) write(inner, level + 1, lines);
  if (group.others > 0) lines.push(`${'  '.repeat(level + 1)}(other names) x ${group.others}`);
}
