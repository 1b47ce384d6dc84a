// Resolves a requested path to an archive member, a folder, or suggestions of the nearest names.

import {
  editDistance,
  type Folder,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  visibleName,
} from '../../src/contract/index.ts';
import type { Member } from './member.ts';

/** Normalises separators: `./a//b` becomes `a/b`. */
function plain(path: string): string {
  if (!/\\|\/\/|^[./]/.test(path)) return path;
  return path
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\/+/, '');
}

/**
 * Finds the member named `path`. Tried in order: the exact name as the archive or its listing writes it (the last one
 * wins), other slashes, other letter case, a folder, the only file with that base name.
 * @throws {ReaderError} FILE_NOT_FOUND with the nearest names
 */
export function findMember<One extends Member>(
  members: readonly One[],
  path: string,
  source: Source,
  signal: AbortSignal,
): { readonly member: One; readonly same: number } | Folder {
  if (path === '' || path === '/') return { folder: '' };
  const wanted = plain(path);
  const prefix = wanted.endsWith('/') ? wanted : `${wanted}/`;
  const lower = wanted.toLowerCase();
  let found: One | undefined;
  let rank = 4;
  let same = 0;
  let folder: string | undefined;
  let first = 0;
  for (const member of members) {
    if (first++ % 10_000 === 0) throwIfAborted(signal);
    const { kind } = member;
    const name = plain(member.path);
    if (folder === undefined && name.startsWith(prefix))
      folder = member.path.slice(0, member.path.length - (name.length - prefix.length));
    if (kind === 'folder') continue;
    const now = ranked(member.path, name, path, wanted, lower);
    if (now > rank || now === 4) continue;
    same = now === rank ? same + 1 : 1;
    rank = now;
    found = member;
  }
  // A folder with the exact name wins over a case-insensitive match.
  if (found && !(rank === 3 && folder !== undefined)) return { member: found, same };
  if (folder !== undefined) return { folder };
  const only = ofLastName(members, wanted);
  if (only) return { member: only, same: 1 };
  throw missing(members, path, wanted, source);
}

function ofLastName<One extends Member>(members: readonly One[], wanted: string): One | undefined {
  if (wanted.includes('/')) return undefined;
  const [only, second] = members.filter(
    ({ kind, path }) => kind === 'file' && plain(path).endsWith(`/${wanted}`),
  );
  return second === undefined ? only : undefined;
}

function ranked(raw: string, name: string, path: string, wanted: string, lower: string): number {
  if (raw === path) return 0;
  if (visibleName(raw) === path) return 1;
  if (name === wanted) return 2;
  return name.length === lower.length && name.toLowerCase() === lower ? 3 : 4;
}

const NAMES_COMPARED = 20_000;
const MAX_NAME = 200;

function missing(members: readonly Member[], path: string, wanted: string, source: Source): ReaderError {
  const near: { readonly name: string; readonly distance: number }[] = [];
  const short = wanted.toLowerCase().slice(0, MAX_NAME);
  const base = short.slice(short.lastIndexOf('/') + 1);
  for (const member of members.slice(0, NAMES_COMPARED)) {
    if (member.kind === 'folder') continue;
    const name = plain(member.path).toLowerCase().slice(0, MAX_NAME);
    // The same base name in another folder ranks above a different name.
    const sameBase = base !== '' && name.slice(name.lastIndexOf('/') + 1) === base;
    const distance = sameBase ? 0.5 : editDistance(short, name, 3);
    if (distance <= 3) near.push({ name: visibleName(member.path), distance });
  }
  near.sort((a, b) => a.distance - b.distance);
  const names = near.slice(0, 3).map(({ name }) => quoted(name));
  return new ReaderError(
    'FILE_NOT_FOUND',
    `There is no entry ${quoted(path)} in ${quoted(source.name)}.`,
    names.length > 0 ? `Did you mean ${names.join(' or ')}?` : 'Read the archive itself to list its entries.',
  );
}
