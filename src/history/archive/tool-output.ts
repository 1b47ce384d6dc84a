// Stores one tool result per file: the file's name, its content, and restoring the exact text.

import { guarded, textIn } from '../codecs/native.ts';
import type { CheckedStorage } from './checked-storage.ts';
import { sha256Of, survivesUtf8, wellFormed } from './exact-text.ts';
import { besideOf, stemOf } from './pointer.ts';
import { corrupt, notFound, type Restored } from './restored.ts';
import { ID_DIGITS } from './segment.ts';

/** Maximum characters of a tool name in a file name. */
const MAX_SLUG = 40;

/** A tool result stored in its own file. */
export interface Offloaded {
  /** Also its pointer, for `restore`. */
  readonly path: string;
  /** For placeholders. */
  readonly shown: string;
  /** SHA-256 of the text in hex. */
  readonly sha256: string;
}

/** @throws {ReaderError} see `CheckedStorage.write` */
export async function writeOutput(
  storage: CheckedStorage,
  { path, sha256 }: Offloaded,
  text: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isOther = (other: string): boolean => sha256Of(other).startsWith(sha256.slice(0, ID_DIGITS));
  await storage.write(path, readable(text), isOther, signal);
  if (!survivesUtf8(text)) await storage.write(besideOf(path), exactFile(text), () => false, signal);
}

/** @throws {ReaderError} FILE_NOT_FOUND; CORRUPT_FILE; see `CheckedStorage.read` */
export async function restoreOutput(
  storage: CheckedStorage,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Restored> {
  const id = stemOf(path).slice(-ID_DIGITS);
  const text = path.endsWith('.json') ? null : await storage.read(path, signal);
  const sha256 = text === null ? '' : sha256Of(text);
  if (text !== null && sha256.startsWith(id)) return { kind: 'text', sha256, text };
  const beside = await storage.read(besideOf(path), signal);
  const exact = beside === null ? null : exactIn(beside);
  if (exact !== null && sha256Of(exact).startsWith(id))
    return { kind: 'text', sha256: sha256Of(exact), text: exact };
  throw text === null && beside === null ? notFound(path) : corrupt(path);
}

/** At most 40 of `a-z`, `0-9` and `-`. */
export function slug(toolName: string): string {
  const words = toolName
    .slice(0, 200)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  return words.join('-').slice(0, MAX_SLUG).replace(/-$/, '') || 'tool';
}

/** `text` in a form a UTF-8 file can represent. */
function readable(text: string): string {
  return wellFormed(text.replace(/^\ufeff+/, ''));
}

function exactFile(text: string): string {
  return `${JSON.stringify({ version: 1, text })}\n`;
}

function exactIn(file: string): string | null {
  return guarded(() => textIn(JSON.parse(file), 'text'), null);
}
