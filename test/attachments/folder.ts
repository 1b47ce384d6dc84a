// A folder as a workspace, as far as attachments ask for one; made for a test and gone after it.

import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Files } from '../../src/contract/index.ts';
import { ReaderError } from '../../src/contract/index.ts';

export interface Folder extends Files {
  readonly mount: string;
  readonly root: string;
  put(path: string, bytes: Uint8Array | string): Promise<string>;
  gone(): Promise<void>;
}

export async function makeFolder(): Promise<Folder> {
  const root = await mkdtemp(join(tmpdir(), 'lectern-attachments-'));
  const inside = (path: string): string => path.replace(/^\/workspace\//, '');
  return {
    mount: '/workspace',
    root,
    async open(path) {
      const name = inside(path);
      try {
        const handle = await open(join(root, name), constants.O_RDONLY);
        return { name, handle, stats: await handle.stat({ bigint: true }) };
      } catch (cause) {
        throw new ReaderError('FILE_NOT_FOUND', `There is no file \`${name}\`.`, 'Check the name.', cause);
      }
    },
    async kind(path) {
      try {
        return (await stat(join(root, inside(path)))).isFile() ? 'file' : 'directory';
      } catch {
        return undefined;
      }
    },
    async put(path, bytes) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), bytes);
      return path;
    },
    gone: () => rm(root, { recursive: true, force: true }),
  };
}

/** A table of `rows` rows of about 40 bytes. */
export function table(rows: number): string {
  const lines = ['id,name,amount,city'];
  for (let row = 1; row <= rows; row += 1)
    lines.push(`${row},customer ${row},${(row * 37) % 1000}.50,city ${row % 50}`);
  return `${lines.join('\n')}\n`;
}
