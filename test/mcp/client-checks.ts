// What every official client can do with each tool and resource of a real server process.

import { randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { wav } from '../support/sounds.ts';
import { readToEnd, type Session, temporaryFolder, textOf, writeOrders } from './session.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const TOOLS = [
  'read_file',
  'list_files',
  'find_files',
  'search_files',
  'file_info',
  'write_file',
  'edit_file',
  'query_result',
  'save_result',
];

/** The files that are served. */
export const folder: ReturnType<typeof temporaryFolder> = temporaryFolder();
const outside = temporaryFolder();
let orders = '';

beforeAll(async () => {
  orders = writeOrders(folder.path, 5000);
  const noise = sharp(randomBytes(1200 * 900 * 3), { raw: { width: 1200, height: 900, channels: 3 } });
  await noise.png().toFile(join(folder.path, 'noise.png'));
  writeFileSync(join(folder.path, 'tone.wav'), wav(60, 44_100, 2));
  mkdirSync(join(folder.path, 'many'));
  for (let i = 0; i < 450; i += 1) writeFileSync(join(folder.path, 'many', `file ${i}.txt`), `${i}\n`);
  writeFileSync(join(folder.path, 'ä b#?%41.txt'), 'odd name\n');
  writeFileSync(join(outside.path, 'secret.txt'), 'SECRET\n');
  symlinkSync(join(outside.path, 'secret.txt'), join(folder.path, 'link.txt'));
  const line = 'the quick brown fox jumps over the lazy dog, again and again, until nobody looks any more\n';
  writeFileSync(join(folder.path, 'large.txt'), line.repeat(2_000_000));
});

afterAll(() => {
  folder.remove();
  outside.remove();
});

/** A kind of client. */
export interface Client {
  readonly name: string;
  readonly connect: (args: readonly string[]) => Promise<Session>;
  /** Calls that list every resource: 1 if the client follows the pages itself. */
  readonly pages: number;
}

export function checkClient({ name, connect, pages: expectedPages }: Client): void {
  describe(name, () => {
    let session: Session;
    beforeAll(async () => {
      session = await connect(['--root', folder.path]);
    });
    afterAll(() => session?.close());

    test('is told the tools and what they are for', async () => {
      const tools = await session.tools();
      expect(tools.map(({ name }) => name).sort()).toEqual([...TOOLS].sort());
      for (const { description, annotations } of tools) {
        expect(description).toBeTruthy();
        expect(annotations).toMatchObject({ openWorldHint: false, title: expect.any(String) });
      }
      expect(session.instructions).toContain('`read_file`');
    });

    test('reads a table to its end, and has read the file', async () => {
      const { text, calls } = await readToEnd(session, 'orders.csv');
      expect(text).toBe(orders);
      expect(calls).toBeGreaterThan(5);
    });

    test('saves a result, finds it and searches it', async () => {
      const saved = await session.call('save_result', {
        name: 'cities.csv',
        rows: [
          { city: 'Oslo', people: 717_710 },
          { city: 'Bergen', people: 291_940 },
        ],
      });
      expect(saved.isError).toBeFalsy();
      const path = /results\/cities[^\s`:,]*\.csv/.exec(textOf(saved))?.[0] ?? '';
      expect(textOf(await session.call('read_file', { path }))).toContain('Bergen,291940');
      const found = textOf(await session.call('search_files', { query: 'Bergen', path: 'results' }));
      expect(found).toContain(path);
      expect(found).toMatch(/\b3\b/);
    });

    test('is shown a large picture small enough, as a picture', async () => {
      const answer = await session.call('read_file', { path: 'noise.png' });
      const picture = answer.content.find(({ type }) => type === 'image');
      const bytes = Buffer.from(picture?.data ?? '', 'base64');
      expect((await sharp(bytes).metadata()).width).toBeGreaterThan(300);
      expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
      expect(answer).not.toHaveProperty('structuredContent');
    });

    test('is given the head and the tail of a long recording, as sound', async () => {
      const answer = await session.call('read_file', { path: 'tone.wav' });
      expect(answer.content.map(({ type }) => type)).toEqual(['text', 'audio', 'audio']);
      expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
    });

    test('lists every file as a resource, page by page, and reads one by its name', async () => {
      const listed = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await session.resources(cursor);
        listed.push(...page.resources);
        cursor = page.nextCursor;
        pages += 1;
      } while (cursor !== undefined && pages < 50);
      expect(pages).toBe(expectedPages);
      expect(new Set(listed.map(({ uri }) => uri)).size).toBe(listed.length);
      const table = listed.find(({ name }) => name === 'orders.csv');
      expect(table).toMatchObject({
        uri: 'workspace:///orders.csv',
        mimeType: 'text/csv',
        size: orders.length,
      });
      expect(listed.filter(({ name }) => name.startsWith('many/'))).toHaveLength(450);
      const odd = listed.find(({ name }) => name.startsWith('ä b'));
      expect(odd?.uri).toBe('workspace:///%C3%A4%20b%23%3F%2541.txt');
      const [content] = await session.read(odd?.uri ?? '');
      expect(content).toMatchObject({ uri: odd?.uri, mimeType: 'text/plain', text: 'odd name\n' });
      const [facts, picture] = await session.read('workspace:///noise.png');
      expect(facts?.text).toContain('1200');
      expect(picture?.mimeType).toMatch(/^image\//);
      expect(picture?.blob?.length).toBeLessThan(900_000);
      expect(await session.templates()).toMatchObject([{ uriTemplate: 'workspace:///{+path}' }]);
    });

    test('is told that a resource is not there', async () => {
      const error = await session.read('workspace:///nowhere.txt').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ data: { uri: 'workspace:///nowhere.txt' } });
      expect(String(error)).toContain('FILE_NOT_FOUND');
    });

    test('receives progress, and can cancel in the middle', async () => {
      const told: number[] = [];
      const controller = new AbortController();
      const call = session.call(
        'search_files',
        { query: '[aeiou][b-y]{3,9}[0-9]', regex: true, path: 'large.txt' },
        {
          signal: controller.signal,
          onprogress: ({ progress }) => {
            told.push(progress);
            if (told.length === 2) controller.abort('enough');
          },
        },
      );
      await expect(call).rejects.toThrow();
      expect(told[1]).toBeGreaterThan(told[0] ?? 0);
      // The server is there, and not busy with what nobody waits for.
      expect(textOf(await session.call('read_file', { path: 'many/file 7.txt' }))).toContain('7');
    });

    test('has errors as answers that say what to do', async () => {
      const missing = await session.call('read_file', { path: 'order.csv' });
      expect(missing.isError).toBe(true);
      expect(textOf(missing)).toMatch(/FILE_NOT_FOUND.*orders\.csv/);
      const empty = await session.call('read_file', {});
      expect(empty.isError).toBe(true);
      expect(textOf(empty)).toContain('`path`');
    });

    test('makes sense of the arguments that models write', async () => {
      const answer = await session.call('read_file', { file_path: 'large.txt', offset: '11', limit: '2' });
      expect(answer.isError).toBeFalsy();
      expect(textOf(answer)).toContain('lines 11-12');
    });

    test.each([
      '../secret.txt',
      '/etc/passwd',
      '/workspacex/a',
      'many/../../secret.txt',
      '/workspace/../etc/passwd',
      'link.txt',
    ])('cannot leave the workspace by %s', async (path) => {
      const read = await session.call('read_file', { path });
      expect(read.isError).toBe(true);
      expect(textOf(read)).toMatch(/PATH_ESCAPES_WORKSPACE|ACCESS_DENIED/);
      const written = await session.call('write_file', { path, content: 'x', overwrite: true });
      expect(written.isError).toBe(true);
      expect(textOf(read) + textOf(written)).not.toContain('SECRET');
      expect(textOf(read) + textOf(written)).not.toContain(folder.path);
      for (const uri of [
        `workspace:///${path}`,
        `workspace:///${path.split('/').map(encodeURIComponent).join('/')}`,
      ])
        await expect(session.read(uri)).rejects.toThrow(
          /PATH_ESCAPES_WORKSPACE|ACCESS_DENIED|FILE_NOT_FOUND/,
        );
    });

    test.each([
      'workspace:///%2e%2e/secret.txt',
      'workspace:///many%2f..%2f..%2fsecret.txt',
      'file:///etc/passwd',
    ])('cannot leave the workspace by the resource %s', async (uri) => {
      await expect(session.read(uri)).rejects.toThrow(/PATH_ESCAPES_WORKSPACE|BAD_INPUT/);
    });
  });
}
