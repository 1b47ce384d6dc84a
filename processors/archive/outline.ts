// The outline of an archive: its folders, each with its number of entries and bytes, and its files.

import {
  OUTLINE,
  type OutlineLine,
  type ProcessContext,
  plural,
  type Source,
  visibleName,
} from '../../src/contract/index.ts';
import { type FolderCount, type ListArchive, load, MAX_FOLDERS } from './listing.ts';
import type { Member } from './member.ts';

/** The folder tree with totals, as deep as the limits allow. */
export async function* outlineArchive(
  list: ListArchive,
  source: Source,
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  const [lines, { container }] = await load(list, source, context);
  const depth = Math.max(1, context.limits.maxNestingDepth);
  const folder = context.selection.folder ?? '';
  const { counts, children, files, levels, complete } = foldersOf(lines.members, folder, depth);
  if (!complete)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The outline lists the first ${MAX_FOLDERS} folders; their counts and the listing cover all files.`,
    });
  if (levels > depth) context.whole({ unit: 'level', of: levels, name: OUTLINE });
  yield { level: 0, text: lines.title(source, container).trimEnd() };
  // An explicit stack instead of recursion: the depth is bounded, the width is not.
  const open: { readonly name: string; readonly level: number }[] = [];
  const push = (parent: string, level: number): void => {
    const names = children.get(parent) ?? [];
    for (let i = names.length - 1; i >= 0; i -= 1) open.push({ name: names[i] ?? '', level });
  };
  function* filesIn(parent: string, level: number): Generator<OutlineLine> {
    for (const { path, size = 0 } of context.selection.brief ? [] : (files.get(parent) ?? [])) {
      const name = visibleName(path.slice(folder.length + parent.length));
      yield { level, nested: true, text: `${'  '.repeat(level - 1)}- ${name} ${plural(size, 'byte')}` };
    }
  }
  yield* filesIn('', 1);
  push('', 1);
  for (let one = open.pop(); one; one = open.pop()) {
    const { name, level } = one;
    const { files: count, bytes } = counts.get(name) ?? { files: 0, bytes: 0 };
    const last = name.slice(name.lastIndexOf('/', name.length - 2) + 1);
    const text = `${'  '.repeat(level - 1)}- ${visibleName(last)} ${plural(count, 'file')}, ${plural(bytes, 'byte')}`;
    yield { level, nested: true, text };
    yield* filesIn(name, level + 1);
    push(name, level + 1);
  }
}

interface Folders {
  /** Keyed by path below the listed folder; the folder itself is `''`. */
  readonly counts: ReadonlyMap<string, FolderCount>;
  /** In order of first appearance in the archive. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** Directly in each folder. */
  readonly files: ReadonlyMap<string, readonly Member[]>;
  /** Actual depth of the tree. */
  readonly levels: number;
  /** False if there are more folders than an outline lists. */
  readonly complete: boolean;
}

/** Folders down to `depth`. */
function foldersOf(members: readonly Member[], folder: string, depth: number): Folders {
  const counts = new Map<string, FolderCount>([['', { files: 0, bytes: 0 }]]);
  const children = new Map<string, string[]>();
  const files = new Map<string, Member[]>();
  let levels = 0;
  let complete = true;
  for (const member of members) {
    const { path, kind, size = 0 } = member;
    const below = path.slice(folder.length);
    let parent = '';
    let level = 0;
    const add = (name: string): void => {
      const count = counts.get(name);
      if (!count || kind === 'folder') return;
      count.files += 1;
      count.bytes += size;
    };
    add('');
    for (let at = below.indexOf('/'); at >= 0; at = below.indexOf('/', at + 1)) {
      level += 1;
      levels = Math.max(levels, level);
      if (level > depth) continue;
      const name = below.slice(0, at + 1);
      if (!counts.has(name)) {
        if (counts.size > MAX_FOLDERS) {
          complete = false;
          break;
        }
        counts.set(name, { files: 0, bytes: 0 });
        const siblings = children.get(parent);
        if (siblings) siblings.push(name);
        else children.set(parent, [name]);
      }
      add(name);
      parent = name;
    }
    if (kind === 'folder' || level >= depth || !counts.has(parent)) continue;
    const siblings = files.get(parent);
    if (siblings) siblings.push(member);
    else files.set(parent, [member]);
  }
  return { counts, children, files, levels, complete };
}
