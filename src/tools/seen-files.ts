// What a model last saw of each file, so that a write does not silently replace what someone else wrote since. Best
// effort: large files are not followed, and neither are the least recently seen of many.

import { splitAddress } from '../address/index.ts';
import { BoundedMap, type Bytes, disarmed, ReaderError } from '../contract/index.ts';
import type { Redactor } from '../redact/index.ts';
import type { Workspace } from '../workspace/index.ts';
import { pathKey } from './changes.ts';
import { readBytes, sha256Of } from './text-file.ts';

/** Larger files do not fit in the answers of a model. */
const MAX_BYTES: Bytes = 1024 * 1024;
/** Lines of all files followed, at four bytes each. */
const MAX_LINES = 1024 * 1024;
/** What changed is quoted up to this many lines and characters. */
const MAX_QUOTED_LINES = 20;
const MAX_QUOTED_CHARACTERS = 2000;

interface Seen {
  /** Hex. */
  readonly sha256: string;
  readonly lines: Uint32Array;
}

/** What became of a file since it was seen. */
export interface Difference {
  /** Sentences, ending with the lines that differ now, quoted up to a limit, and a line end. */
  readonly text: string;
  /** False if the limit cut them. */
  readonly isWhole: boolean;
}

/** The files one model has seen in one workspace. */
export class SeenFiles {
  readonly #redactor: Redactor | undefined;
  readonly #files = new BoundedMap<string, Seen>({
    most: MAX_LINES,
    weigh: ({ lines }) => lines.length + 50,
  });

  /** `redactor`: what differs is quoted without secrets. */
  constructor(redactor?: Redactor) {
    this.#redactor = redactor;
  }

  /**
   * Remembers the current content of the file of `address`. Call it before the content is shown: a later change is then
   * noticed.
   */
  async look(workspace: Workspace, address: string, signal: AbortSignal): Promise<void> {
    const { path } = await splitAddress(address, workspace);
    try {
      const { bytes } = await readBytes(workspace, path, signal, MAX_BYTES);
      this.remember(workspace, path, bytes);
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      this.#files.delete(pathKey(path, workspace.mount)); // not a file, or too large to be followed
    }
  }

  remember({ mount }: Pick<Workspace, 'mount'>, path: string, bytes: Uint8Array): void {
    if (bytes.length > MAX_BYTES) this.#files.delete(pathKey(path, mount));
    else this.#files.set(pathKey(path, mount), { sha256: sha256Of(bytes), lines: hashesOf(linesOf(bytes)) });
  }

  /** How `bytes`, the current content, differ from what was seen; undefined if they do not, or the file was not seen. */
  differenceIn({ mount }: Pick<Workspace, 'mount'>, path: string, bytes: Uint8Array): Difference | undefined {
    const seen = this.#files.get(pathKey(path, mount));
    if (!seen || seen.sha256 === sha256Of(bytes)) return undefined;
    const lines = linesOf(bytes);
    const hashes = hashesOf(lines);
    const least = Math.min(hashes.length, seen.lines.length);
    let from = 0;
    while (from < least && hashes[from] === seen.lines[from]) from += 1;
    let after = 0;
    while (after < least - from && hashes.at(-1 - after) === seen.lines.at(-1 - after)) after += 1;
    const changed = this.#shown(bytes, lines).slice(from, lines.length - after);
    const removed = seen.lines.length - after - from;
    const was = `${removed === 1 ? '1 line' : `${removed} lines`} at line ${from + 1}`;
    if (changed.length === 0) return { text: `${was} removed.\n`, isWhole: true };
    const quoted = changed.slice(0, MAX_QUOTED_LINES).join('\n').slice(0, MAX_QUOTED_CHARACTERS);
    const isWhole = quoted.length === changed.join('\n').length;
    const span =
      changed.length === 1 ? `line ${from + 1} is` : `lines ${from + 1}-${from + changed.length} are`;
    return {
      text: `${removed > 0 ? `${was} replaced; ` : ''}${span} now:\n${disarmed(quoted)}${isWhole ? '' : '…'}\n`,
      isWhole,
    };
  }

  #shown(bytes: Uint8Array, lines: readonly string[]): readonly string[] {
    if (!this.#redactor) return lines;
    const copy = Uint8Array.from(bytes);
    this.#redactor.bytes(copy, 0, copy.length);
    return linesOf(copy);
  }
}

const linesOf = (bytes: Uint8Array): string[] => Buffer.from(bytes).toString('utf8').split('\n');

/** FNV-1a, 32 bits: only locates a change, which the SHA-256 has proved. */
function hashesOf(lines: readonly string[]): Uint32Array {
  return Uint32Array.from(lines, (line) => {
    let hash = 0x811c9dc5;
    for (let at = 0; at < line.length; at += 1) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
    return hash;
  });
}
