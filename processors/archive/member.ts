// An archive member as listed: its facts, and what makes its name or kind unsafe. Nothing is written to disk and no
// link is followed.

import {
  type Bytes,
  oneLine,
  plural,
  quoted,
  ReaderError,
  visibleName,
  type Warning,
  withoutEnd,
} from '../../src/contract/index.ts';

export type MemberKind = 'file' | 'folder' | 'symlink' | 'hardlink' | 'device' | 'pipe' | 'socket' | 'other';

/** One member, in archive order. */
export interface Member {
  /** As stored; a folder's path ends in a slash. Untrusted. */
  readonly path: string;
  readonly kind: MemberKind;
  /** Declared size. Undefined if the archive does not state one. */
  readonly size: Bytes | undefined;
  readonly packed?: Bytes;
  /** `2026-11-21 20:37`: local time for zip, UTC for tar; `''` if unknown. */
  readonly modified: string;
  /** Target of a link. Untrusted, never followed. */
  readonly target?: string;
  /** Other facts: `encrypted`, `sparse`, `packed with bzip2`. */
  readonly notes: readonly string[];
}

/** The path without its folders. */
export function lastName(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

const NONE: readonly string[] = [];

/** Reasons why a name is unsafe to write to disk. */
export function namePerils(path: string): readonly string[] {
  let perils: string[] | undefined;
  const add = (peril: string): void => {
    perils ??= [];
    perils.push(peril);
  };
  if (path.includes('..') && /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path)) add('escapes the folder');
  const first = path.charCodeAt(0);
  if (first === SLASH || first === BACKSLASH) add('absolute path');
  else if (path.charCodeAt(1) === COLON && /^[a-z]:/i.test(path)) add('drive letter');
  if (path.includes('\\')) add('backslash');
  if (oneLine(path) !== path) add('hidden characters');
  if (path === '') add('no name');
  return perils ?? NONE;
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** The members of an archive, with the facts that depend on all of them together. */
export class MemberList {
  readonly members: readonly Member[];
  readonly files: number;
  readonly folders: number;
  readonly size: Bytes;
  readonly packed: Bytes | undefined;
  readonly #repeated = new Set<string>();
  readonly #links = new Set<string>();

  constructor(members: readonly Member[]) {
    this.members = members;
    const seen = new Set<string>();
    let files = 0;
    let folders = 0;
    let size = 0;
    let packed = 0;
    let complete = members.length > 0;
    for (const member of members) {
      if (member.kind === 'folder') folders += 1;
      else files += 1;
      size += member.size ?? 0;
      if (member.packed === undefined) complete = false;
      else packed += member.packed;
      if (seen.has(member.path)) this.#repeated.add(member.path);
      else seen.add(member.path);
      if (member.kind === 'symlink') this.#links.add(withoutEnd(member.path, '/'));
    }
    this.files = files;
    this.folders = folders;
    this.size = size;
    this.packed = complete ? packed : undefined;
  }

  /** Why the member's name is unsafe. */
  perils(member: Member): string[] {
    const perils = [...namePerils(member.path)];
    if (this.#repeated.has(member.path)) perils.push('name occurs twice');
    const target = namePerils(member.target ?? '.');
    if (target.some((peril) => peril !== 'backslash')) perils.push('link to outside the folder');
    if (this.#links.size > 0 && this.#isBelowLink(member.path)) perils.push('below a symbolic link');
    return perils;
  }

  /** All notes for the member's line in a listing. */
  notes(member: Member): string[] {
    const { kind, target, notes } = member;
    const what =
      kind === 'file' || kind === 'folder'
        ? []
        : [target === undefined || target === '' ? kind : `${kind} to ${visibleName(target)}`];
    return [...what, ...this.perils(member), ...notes];
  }

  #isBelowLink(path: string): boolean {
    let parents = 0;
    for (let at = path.indexOf('/'); at >= 0 && parents < 256; at = path.indexOf('/', at + 1), parents += 1)
      if (at < path.length - 1 && this.#links.has(path.slice(0, at))) return true;
    return false;
  }

  /** UNSAFE_NAMES with counts and one example, or undefined if all names are safe. */
  warning(): Warning | undefined {
    const counts = new Map<string, number>();
    let example: Member | undefined;
    let unsafe = 0;
    for (const member of this.members) {
      const perils = this.perils(member);
      if (perils.length === 0) continue;
      unsafe += 1;
      example ??= member;
      for (const peril of perils) counts.set(peril, (counts.get(peril) ?? 0) + 1);
    }
    if (!example) return undefined;
    const list = [...counts].map(([peril, count]) => `${peril} (${count})`).join(', ');
    return {
      code: 'UNSAFE_NAMES',
      message: `Unsafe names in ${unsafe} of ${plural(this.members.length, 'entry')}: ${list}; the first is ${quoted(visibleName(example.path))}. Nothing was unpacked.`,
    };
  }
}

const MAX_MEMBERS = 1_000_000;
const MAX_NAME_UNITS = 128 * 1024 * 1024;

/** Bounds the members collected, because all of them are held in memory. */
export class MemberBounds {
  #members = 0;
  #units = 0;

  /** @throws {ReaderError} LIMIT_EXCEEDED past 1 000 000 entries, or 128 Mi characters of names */
  add(path: string): void {
    this.#members += 1;
    this.#units += path.length;
    if (this.#members > MAX_MEMBERS || this.#units > MAX_NAME_UNITS)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The archive lists more than ${MAX_MEMBERS} entries, or their names fill more than ${MAX_NAME_UNITS} characters.`,
        'Unpack it and read its files.',
      );
  }
}
