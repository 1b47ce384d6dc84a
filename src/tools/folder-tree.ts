// The answer of `read_file` for a folder: its tree, as deep as the budget allows. Unopened folders are summarised by
// their counts.

import { largestFitting, named, OWN, plural, type Tokens } from '../contract/index.ts';
import type { Reader } from '../reader/index.ts';
import type { WorkspaceEntry as Entry, Workspace } from '../workspace/index.ts';
import type { ToolRoom } from './definition.ts';
import { cutToBudget } from './page.ts';
import { aboutTokens, roundedTokens, type SizedFormats, sizedFormats } from './size-tokens.ts';

/** Options of a tree. */
export interface FolderTreeOptions {
  readonly workspace: Pick<Workspace, 'list'>;
  readonly reader: Pick<Reader, 'processors' | 'count'>;
  /** Budget of the text. */
  readonly maxTokens: Tokens;
  readonly signal?: AbortSignal;
  /** The call that shows a folder, as the caller words it. Default: `path "src"`. */
  readonly opens?: (path: string) => string;
  /** How to see all entries of a folder, as the caller words it. Default: `a larger budget`. */
  readonly lists?: (path: string) => string;
}

/** The options, plus values derived from them. */
interface Room {
  readonly workspace: Pick<Workspace, 'list'>;
  readonly formats: SizedFormats;
  readonly count: (text: string) => Tokens;
  readonly budget: Tokens;
  readonly signal: AbortSignal;
  readonly opens: (path: string) => string;
  readonly lists: (path: string) => string;
}

interface Node {
  readonly path: string;
  readonly name: string;
  readonly entry: Entry;
  readonly depth: number;
  readonly children: Node[];
  /** Excluded by an ignore file, so not walked. */
  readonly ignored: boolean;
  files: number;
  folders: number;
  bytes: number;
  tokens: Tokens;
  readonly endings: Map<string, number>;
}

/** Maximum pages taken from a listing; the rest counts as unknown. */
const MAX_PAGES = 40;
const ALL_LEVELS = 100;
const LEAST_LINE: Tokens = 3;
/** Maximum extensions named on a line. */
const MAX_ENDINGS = 3;

/** The text for the folder `path`, of at most `maxTokens` tokens. @throws {ReaderError} as `Workspace.list` */
export async function folderTree(path: string, options: FolderTreeOptions): Promise<string> {
  const { workspace, reader, maxTokens: budget, signal = new AbortController().signal } = options;
  const { opens = (folder: string): string => `path "${folder}"`, lists = (): string => 'a larger budget' } =
    options;
  const count = (text: string): Tokens => reader.count(text);
  const formats = sizedFormats(reader.processors);
  const room: Room = { workspace, formats, count, budget, signal, opens, lists };
  const { root, whole, notes } = await walked(path, room);
  const open = new Set<Node>();
  // Tokens are counted per line; line breaks may merge with neighbouring text, so the final text is counted as a whole.
  const cost = (nodes: readonly Node[]): Tokens =>
    nodes.reduce((sum, node) => sum + room.count(`${lineOf(node, false)}\n`), 0);
  let left = room.budget - room.count(headOf(root, whole)) - room.count(footOf(root, open, room)) - 8;
  for (const node of inOrder(root)) {
    // A line takes at least a name, a size and its end.
    if (node.children.length * LEAST_LINE > left) continue;
    const price = cost(node.children) + 4;
    if (price > left) continue;
    left -= price;
    open.add(node);
  }
  while (open.has(root)) {
    const text = textOf(root, open, whole, room);
    if (room.count(text) <= room.budget) return withNotes(text, notes, room);
    const last = [...open].at(-1);
    if (last) open.delete(last);
  }
  return partly(root, whole, room);
}

/** How the tools of a set show all entries of a folder. */
export const listsFor =
  ({ names }: ToolRoom) =>
  (path: string): string =>
    names.has('list_files') ? `\`list_files\`, path "${path}"` : 'a larger `max_tokens`';

/** Folders in the order they are opened: outer ones first, small ones before large ones. */
function inOrder(root: Node): Node[] {
  const all: Node[] = [];
  let level = [root];
  while (level.length > 0) {
    const inside = level.filter(({ children }) => children.length > 0);
    inside.sort((a, b) => a.children.length - b.children.length);
    for (const node of inside) all.push(node);
    level = inside.flatMap(({ children }) => children);
  }
  return all;
}

async function walked(
  path: string,
  { workspace, formats, signal }: Room,
): Promise<{ readonly root: Node; readonly whole: boolean; readonly notes: readonly string[] }> {
  const root = nodeOf({ path, kind: 'directory' }, path, 0, false);
  const nodes = new Map<string, Node>([['', root]]);
  const prefix = (await workspace.list(path, { depth: 1, ignore: false, limit: 1, signal })).entries[0]?.path;
  // The workspace's name of the folder, which may differ from the argument.
  const start = prefix === undefined ? 0 : prefix.lastIndexOf('/') + 1;
  const notes = new Set<string>();
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await workspace.list(path, {
      depth: ALL_LEVELS,
      ignore: true,
      signal,
      ...(cursor !== null && { cursor }),
    });
    for (const entry of page.entries) add(nodes, entry, entry.path.slice(start), false, formats);
    // Ignored entries are marked in the tree or not counted, so this note adds nothing.
    for (const note of page.notes) if (!note.startsWith('Ignore files exclude')) notes.add(note);
    cursor = page.next;
    pages += 1;
  } while (cursor !== null && pages < MAX_PAGES);
  const direct = await workspace.list(path, { depth: 1, ignore: false, signal });
  for (const entry of direct.entries)
    if (!nodes.has(entry.path.slice(start))) add(nodes, entry, entry.path.slice(start), true, formats);
  return { root, whole: cursor === null, notes: [...notes] };
}

const nodeOf = (entry: Entry, name: string, depth: number, ignored: boolean): Node => ({
  path: entry.path,
  name,
  entry,
  depth,
  children: [],
  ignored,
  files: 0,
  folders: 0,
  bytes: 0,
  tokens: 0,
  endings: new Map(),
});

function add(
  nodes: Map<string, Node>,
  entry: Entry,
  inside: string,
  ignored: boolean,
  formats: SizedFormats,
): void {
  const cut = inside.lastIndexOf('/');
  const parent = nodes.get(cut < 0 ? '' : inside.slice(0, cut));
  if (!parent) return;
  const node = nodeOf(entry, inside.slice(cut + 1), parent.depth + 1, ignored);
  nodes.set(inside, node);
  parent.children.push(node);
  if (ignored) return;
  const bytes = entry.bytes ?? 0;
  node.bytes = bytes;
  node.tokens = entry.kind === 'file' ? (aboutTokens(node.name, bytes, formats) ?? 0) : 0;
  for (let at = inside; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const folder = nodes.get(at.lastIndexOf('/') < 0 ? '' : at.slice(0, at.lastIndexOf('/')));
    if (folder) count(folder, node);
    if (!at.includes('/')) return;
  }
}

function count(folder: Node, { entry, name, bytes, tokens }: Node): void {
  if (entry.kind === 'directory') folder.folders += 1;
  if (entry.kind !== 'file') return;
  folder.files += 1;
  folder.bytes += bytes;
  folder.tokens += tokens;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= 10 ? name.slice(dot).toLowerCase() : 'other';
  folder.endings.set(ending, (folder.endings.get(ending) ?? 0) + 1);
}

const about = (tokens: Tokens): string => (tokens > 0 ? `, ~${roundedTokens(tokens)} tokens` : '');

/** `src/  62 files, 9 folders, 400000 bytes, ~100000 tokens: .ts 60, .md 2`; only the name for an open folder. */
function lineOf(node: Node, open: boolean): string {
  const { entry, name, ignored, children, files, folders, bytes, tokens } = node;
  const lead = '  '.repeat(node.depth - 1);
  switch (entry.kind) {
    case 'directory': {
      if (ignored) return `${lead}${name}/  (ignored)`;
      if (children.length === 0) return `${lead}${name}/  (empty)`;
      if (open) return `${lead}${name}/`;
      const inside = folders > 0 ? `, ${plural(folders, 'folder')}` : '';
      return `${lead}${name}/  ${plural(files, 'file')}${inside}, ${plural(bytes, 'byte')}${about(tokens)}${endingsOf(node)}`;
    }
    case 'file': {
      const size = entry.bytes === undefined ? '' : `  ${plural(entry.bytes, 'byte')}${about(tokens)}`;
      return `${lead}${name}${size}${ignored ? ' (ignored)' : ''}`;
    }
    case 'link':
      return `${lead}${name}${entry.leadsTo === 'directory' ? '/' : ''}  (link)`;
    case 'other':
      return `${lead}${name}  (not a file)`;
  }
}

function endingsOf({ endings }: Node): string {
  const most = [...endings].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_ENDINGS);
  return most.length === 0 ? '' : `: ${most.map(([ending, files]) => `${ending} ${files}`).join(', ')}`;
}

function headOf(root: Node, whole: boolean): string {
  const { path, files, folders, bytes, tokens } = root;
  const least = whole ? '' : 'more than ';
  const of = path === '' || path === '.' ? '' : ` ${named(path)}`;
  return `${OWN.folder}${of}: ${least}${plural(files, 'file')}, ${plural(folders, 'folder')}, ${plural(bytes, 'byte')}${about(tokens)}]\n`;
}

/** The unopened folders, and how to see them. */
function footOf(root: Node, open: ReadonlySet<Node>, { opens }: Room): string {
  const closed = closedIn(root, open);
  const [largest] = closed.sort((a, b) => b.files - a.files);
  return largest === undefined
    ? ''
    : `${OWN.folder}: ${plural(closed.length, 'folder')} not opened. Continue with ${opens(largest.path)}.]\n`;
}

/** Adds what the walk could not see, if there is room. */
function withNotes(text: string, notes: readonly string[], { count, budget }: Room): string {
  return notes.reduce((said, note) => {
    const more = `${said}${OWN.note}${note}]\n`;
    return count(more) <= budget ? more : said;
  }, text);
}

/** Folders that are shown as a line without their contents. */
function closedIn(node: Node, open: ReadonlySet<Node>): Node[] {
  if (!open.has(node)) return node.children.length > 0 ? [node] : [];
  return node.children.flatMap((child) => closedIn(child, open));
}

function* linesOf(node: Node, open: ReadonlySet<Node>): Generator<string> {
  if (node.depth > 0) yield lineOf(node, open.has(node));
  if (open.has(node)) for (const child of ordered(node.children)) yield* linesOf(child, open);
}

/** Folders before files, each sorted by name. */
const ordered = (nodes: readonly Node[]): Node[] =>
  [...nodes].sort((a, b) => Number(a.entry.kind !== 'directory') - Number(b.entry.kind !== 'directory'));

function textOf(root: Node, open: ReadonlySet<Node>, whole: boolean, room: Room): string {
  const lines = [...linesOf(root, open)].map((line) => `${line}\n`).join('');
  return headOf(root, whole) + lines + footOf(root, open, room);
}

/** The direct entries by name alone, folders with their file counts, as many as fit, and the count of the rest. */
function partly(root: Node, whole: boolean, room: Room): string {
  const lines = ordered(root.children).map(shortLineOf);
  const foot = footOf(root, new Set([root]), room);
  const written = (shown: number): string => {
    const rest = lines.length - shown;
    const more =
      rest > 0
        ? `${OWN.folder}: ${plural(rest, 'more entry')}. Continue with ${room.lists(root.path)}.]\n`
        : '';
    return `${headOf(root, whole)}${lines.slice(0, shown).join('')}${more}${shown > 0 ? foot : ''}`;
  };
  const shown = largestFitting(lines.length, (size) => room.count(written(size)) <= room.budget);
  return cutToBudget(written(shown), room.budget, room.count);
}

function shortLineOf(node: Node): string {
  const { name, entry, ignored, files } = node;
  if (entry.kind !== 'directory') return `${name}\n`;
  return `${name}/${ignored ? ' (ignored)' : `  ${plural(files, 'file')}`}\n`;
}
