// Renders an archive as text: one CSV record per entry, paged by entries, or the folder tree as an outline. Independent
// of the container: `ArchiveReader` supplies the entries.

import {
  type EntryContext,
  type Extent,
  oneLine,
  type Part,
  PositionReader,
  type ProcessContext,
  plural,
  type Source,
  safeCut,
  type TextPart,
  throwIfAborted,
  visibleName,
} from '../../src/contract/index.ts';
import { type Member, MemberList } from './member.ts';

/** The entries a container reader supplies. */
export interface Listing {
  /** `zip`, `tar`, `tar packed with gzip`. */
  readonly container: string;
  readonly members: readonly Member[];
}

export type ListArchive = (source: Source, context: EntryContext) => Promise<Listing>;

const LINES_PER_PART = 1000;

/** The lines of a listing: the table header at index 0, entries from 1. */
class Lines {
  readonly list: MemberList;
  readonly members: readonly Member[];
  readonly #packed: boolean;
  readonly #noted: boolean;
  readonly #folder: string;

  constructor(list: MemberList, folder: string) {
    this.list = list;
    this.#folder = folder;
    this.members = folder === '' ? list.members : list.members.filter(({ path }) => path.startsWith(folder));
    this.#packed = this.members.some(({ packed }) => packed !== undefined);
    this.#noted = this.members.some((member) => list.notes(member).length > 0);
  }

  get head(): string {
    return `path,bytes${this.#packed ? ',packed' : ''},modified${this.#noted ? ',notes' : ''}\n`;
  }

  line(index: number): string {
    const member = this.members[index - 1];
    if (index === 0 || !member) return this.head;
    const { path, size, packed, modified } = member;
    const cells = [visibleName(path), String(size ?? '')];
    if (this.#packed) cells.push(String(packed ?? ''));
    cells.push(modified);
    if (this.#noted) cells.push(this.list.notes(member).join('; '));
    return `${cells.map(cell).join(',')}\n`;
  }

  title(source: Source, container: string): string {
    const { members } = this;
    const folders = members.filter(({ kind }) => kind === 'folder').length;
    const bytes = members.reduce((sum, { size = 0 }) => sum + size, 0);
    const packed = this.#packed
      ? ` (${members.reduce((sum, { packed: one = 0 }) => sum + one, 0)} packed)`
      : '';
    const place = this.#folder === '' ? '' : ` in ${visibleName(this.#folder)}`;
    const name = oneLine(source.name);
    const inFolders = folders > 0 ? `, ${plural(folders, 'folder')}` : '';
    const how = members.length > 0 ? `. Read an entry as ${name}!/PATH` : '';
    return `${name} (${container})${place}: ${plural(members.length - folders, 'file')}${inFolders}, ${plural(bytes, 'byte')}${packed}${how}\n`;
  }
}

function cell(text: string): string {
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export async function load(
  list: ListArchive,
  source: Source,
  context: ProcessContext,
): Promise<[Lines, Listing]> {
  const listing = await list(source, context);
  const members = new MemberList(listing.members);
  const { files, folders, size, packed } = members;
  context.describe({
    entries: listing.members.length,
    files,
    folders,
    unpackedBytes: size,
    ...(packed !== undefined && { packedBytes: packed }),
    container: listing.container,
  });
  const warning = members.warning();
  if (warning) context.warn(warning);
  const lines = new Lines(members, context.selection.folder ?? '');
  context.whole({ unit: 'entry', of: lines.members.length });
  return [lines, listing];
}

/**
 * The listing as parts, fitted to the budget in whole lines; a line longer than the budget is continued in the next
 * part.
 */
export async function* listArchive(
  list: ListArchive,
  source: Source,
  context: ProcessContext,
): AsyncGenerator<Part> {
  const [lines, { container }] = await load(list, source, context);
  const { selection } = context;
  const [index, offset] = start(selection.resume, lines);
  if (selection.all) {
    yield* everything(lines, index, context);
    return;
  }
  const title = index === 0 && offset === 0 ? lines.title(source, container) : '';
  const part = page(lines, index, offset, title, context);
  if (part) yield part;
}

function start(resume: ProcessContext['selection']['resume'], lines: Lines): [number, number] {
  const fields = new PositionReader(
    resume ?? [],
    'The cursor points to an entry this archive does not have.',
  );
  const index = fields.countOr(0, lines.members.length);
  const offset = fields.countOr(0, lines.line(index).length);
  return [index, offset];
}

async function* everything(lines: Lines, from: number, { signal }: ProcessContext): AsyncGenerator<Part> {
  const last = lines.members.length;
  for (let at = from; at <= last; at += LINES_PER_PART) {
    throwIfAborted(signal);
    const to = Math.min(last, at + LINES_PER_PART - 1);
    let text = '';
    for (let index = at; index <= to; index += 1) text += lines.line(index);
    yield { kind: 'text', text, shown: to === 0 ? [] : [entries(Math.max(1, at), to, last)] };
  }
}

const entries = (from: number, to: number, of: number): Extent => ({ unit: 'entry', from, to, of });

/** One response: lines from `index` on, the first without its first `offset` characters. */
function page(
  lines: Lines,
  index: number,
  offset: number,
  title: string,
  { budget, limits }: ProcessContext,
): TextPart | undefined {
  const last = lines.members.length;
  const most = Math.min(last, Math.max(1, index) + limits.maxEntries - 1);
  const texts: string[] = [];
  let length = 0;
  for (let at = index; at <= most && length <= budget.characters; at += 1) {
    texts.push(at === index ? lines.line(at).slice(offset) : lines.line(at));
    length += texts.at(-1)?.length ?? 0;
  }
  const head = index > 0 && offset === 0 ? lines.head : '';
  const text = texts.join('');
  if (index + texts.length > last && budget.fits(title + head + text, budget.tokens, budget.characters))
    return shown(lines, index, texts.length, title + head + text, text);
  const { tokensBesideNotes: tokens, charactersBesideNotes: characters } = budget;
  for (const before of new Set([title + head, head, ''])) {
    const view = before + text.slice(0, Math.max(0, characters));
    const within = view.slice(0, Math.max(0, Math.min(view.length, characters)));
    const room = budget.prefix(within, tokens);
    let count = 0;
    let end = before.length;
    for (const line of texts) {
      if (end + line.length > room) break;
      end += line.length;
      count += 1;
    }
    // Never show the table header alone unless there are no entries.
    if (count > (index === 0 && last > 0 ? 1 : 0))
      return shown(lines, index, count, view.slice(0, end), text.slice(0, end - before.length));
  }
  return cutLine(lines, index, offset, text, budget.prefix(text.slice(0, Math.max(0, characters)), tokens));
}

function shown(lines: Lines, index: number, count: number, view: string, text: string): TextPart {
  const last = lines.members.length;
  const to = index + count - 1;
  return {
    kind: 'text',
    text,
    ...(view !== text && { view }),
    shown: to >= 1 ? [entries(Math.max(1, index), to, last)] : [],
    ...(to < last && { next: { position: [to + 1] } }),
  };
}

/** The part of the first line that fits when it is longer than the budget; the walk continues inside that line. */
function cutLine(
  lines: Lines,
  index: number,
  offset: number,
  text: string,
  room: number,
): TextPart | undefined {
  const end = safeCut(text, room);
  if (end === 0 || end > room) return undefined;
  let at = index;
  let left = end;
  let from = offset;
  for (let rest = lines.line(at).length - from; left >= rest && at < lines.members.length; ) {
    left -= rest;
    at += 1;
    from = 0;
    rest = lines.line(at).length;
  }
  const whole = lines.line(at).length;
  const full = at > Math.max(1, index) ? [entries(Math.max(1, index), at - 1, lines.members.length)] : [];
  const cut: Extent[] =
    left > 0 && at > 0
      ? [{ unit: 'character', from: from + 1, to: from + left, of: whole, name: `entry ${at}` }]
      : [];
  return {
    kind: 'text',
    text: text.slice(0, end),
    shown: [...full, ...cut],
    next: { position: [at, from + left] },
  };
}

export interface FolderCount {
  files: number;
  bytes: number;
}

export const MAX_FOLDERS = 20_000;
