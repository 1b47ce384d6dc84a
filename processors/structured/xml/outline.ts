// The elements of a document by name, with counts, to the third level: its shape in place of its content.

import type { OutlineLine } from '../../../src/contract/index.ts';
import type { XmlDocument } from './document.ts';
import type { Subject } from './view.ts';

/** Levels of elements, the root the first. */
export const LEVELS = 3;

/** Different names told apart at one place; the rest are counted together. */
const MAX_NAMES = 50;

/** Elements visited; in a larger document the counts are of those before. */
export const MAX_ELEMENTS = 500_000;

interface Group {
  readonly name: string;
  count: number;
  readonly inner: Map<string, Group>;
  /** Elements with names beyond the first 50. */
  others: number;
}

export interface Outline {
  /** One line per name, indented by level. */
  readonly lines: readonly OutlineLine[];
  /** False when only the beginning was counted. */
  readonly complete: boolean;
}

/** @throws {Malformed} */
export async function outlineOf(document: XmlDocument, subject: Subject): Promise<Outline> {
  const { reader, contents } = document;
  const top: Group = { name: await reader.name(subject.open), count: 1, inner: new Map(), others: 0 };
  /** The groups of the elements open here; undefined for one whose name is not told apart. */
  const open: (Group | undefined)[] = [top];
  let visited = 1;
  let position = subject.open.end;
  while (!subject.open.empty && open.length > 0 && visited < MAX_ELEMENTS) {
    const token = await reader.at(position);
    position = token.end;
    if (token.kind === 'end') break;
    if (token.kind === 'close') open.pop();
    if (token.kind !== 'open') continue;
    visited++;
    const parent = open.at(-1);
    const group = parent && enter(parent, await reader.name(token));
    if (token.empty) continue;
    if (open.length + 1 >= LEVELS) position = (await contents.of(token)).end;
    else open.push(group);
  }
  const lines: OutlineLine[] = [];
  write(top, 1, lines);
  return { lines, complete: visited < MAX_ELEMENTS };
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

function write(group: Group, level: number, lines: OutlineLine[]): void {
  const line = (at: number, text: string): OutlineLine => ({
    level: at,
    nested: true,
    text: `${'  '.repeat(at - 1)}${text}`,
  });
  lines.push(line(level, `${group.name}${group.count > 1 ? ` x ${group.count}` : ''}`));
  for (const inner of group.inner.values()) write(inner, level + 1, lines);
  if (group.others > 0) lines.push(line(level + 1, `(other names) x ${group.others}`));
}
