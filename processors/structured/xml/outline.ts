// The elements of a document by name, with attributes and counts, shown in place of its content.

import type { OutlineLine } from '../../../src/contract/index.ts';
import type { Subject, XmlDocument } from './document.ts';
import type { OpenToken } from './token-kinds.ts';

/** Maximum levels of elements, the root being the first: an address in the document shows those below it. */
export const LEVELS = 3;

/** Maximum names distinguished at one place; the rest are counted together. */
const MAX_NAMES = 50;
const MAX_ATTRIBUTES = 30;

/** Maximum elements visited; counts of a larger document cover only these. Fewer are visited above a view. */
export const MAX_ELEMENTS = 500_000;
const BRIEF_ELEMENTS = 5000;
/** Minimum average occurrences per name for an outline to be shown above a view. */
const LEAST_REPETITION = 3;

interface Group {
  readonly name: string;
  count: number;
  readonly attributes: Set<string>;
  readonly inner: Map<string, Group>;
  /** Elements with names beyond the first 50. */
  others: number;
}

export interface Outline {
  /** One line per name, indented by level. */
  readonly lines: readonly OutlineLine[];
  /** False if only the beginning was counted. */
  readonly complete: boolean;
  /** The name of the children with the most elements among those that have children. */
  readonly largest: string | undefined;
}

/** `brief` is the form above a view; a document with little repetition then has no outline. @throws {Malformed} */
export async function outlineOf(document: XmlDocument, subject: Subject, brief: boolean): Promise<Outline> {
  const { reader, contents } = document;
  const most = brief ? BRIEF_ELEMENTS : MAX_ELEMENTS;
  const top = groupOf(await reader.name(subject.open));
  await enter(document, top, await reader.at(subject.open.start, MAX_ATTRIBUTES));
  /** The groups of the open elements; undefined for one whose name is not distinguished. */
  const open: (Group | undefined)[] = [top];
  let visited = 1;
  let position = subject.open.end;
  while (!subject.open.empty && open.length > 0 && visited < most) {
    const token = await reader.at(position, MAX_ATTRIBUTES);
    position = token.end;
    if (token.kind === 'end') break;
    if (token.kind === 'close') open.pop();
    if (token.kind !== 'open') continue;
    visited++;
    const parent = open.at(-1);
    const group = parent && inside(parent, await reader.name(token));
    if (group) await enter(document, group, token);
    if (token.empty) continue;
    if (open.length + 1 >= LEVELS) position = (await contents.of(token)).end;
    else open.push(group);
  }
  const complete = visited < most;
  const lines: OutlineLine[] = [];
  write(top, 1, complete ? '' : '+', lines);
  const [largest] = [...top.inner.values()]
    .filter(({ inner }) => inner.size > 0)
    .sort((a, b) => b.count - a.count);
  return {
    lines: brief && visited < lines.length * LEAST_REPETITION ? [] : lines,
    complete,
    largest: largest?.name,
  };
}

const groupOf = (name: string): Group => ({
  name,
  count: 0,
  attributes: new Set(),
  inner: new Map(),
  others: 0,
});

function inside(parent: Group, name: string): Group | undefined {
  let group = parent.inner.get(name);
  if (!group) {
    if (parent.inner.size >= MAX_NAMES) {
      parent.others++;
      return undefined;
    }
    group = groupOf(name);
    parent.inner.set(name, group);
  }
  return group;
}

async function enter({ window }: XmlDocument, group: Group, token: { readonly kind: string }): Promise<void> {
  group.count++;
  if (!isOpen(token)) return;
  for (const { start, nameEnd } of token.attributes) {
    if (group.attributes.size >= MAX_ATTRIBUTES) return;
    group.attributes.add(await window.text(start, Math.min(nameEnd, start + MAX_ATTRIBUTE_NAME)));
  }
}

const MAX_ATTRIBUTE_NAME = 100;
const isOpen = (token: { readonly kind: string }): token is OpenToken => token.kind === 'open';

function write(group: Group, level: number, more: string, lines: OutlineLine[]): void {
  const { name, count, attributes, inner, others } = group;
  const label = count > 1 ? `${name} x ${count}${more}` : name;
  const listed = [...attributes].map((attribute) => `@${attribute}`).join(', ');
  const also = listed === '' ? '' : ` {${listed}}`;
  lines.push({
    level,
    nested: true,
    text: `${'  '.repeat(level - 1)}${label}${also}`,
    short: `${label}${also}`,
    around: [`${label} {${listed === '' ? '' : `${listed}, `}`, '}'],
  });
  for (const group of inner.values()) write(group, level + 1, more, lines);
  if (others > 0) {
    const rest = `(other names) x ${others}${more}`;
    lines.push({ level: level + 1, nested: true, text: `${'  '.repeat(level)}${rest}`, short: rest });
  }
}
