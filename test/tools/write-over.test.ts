// write_file over a file that is there: keeps its form, and does not undo what someone else wrote since the model saw it.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from './place.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace({});
});
afterEach(() => place.remove());

const at = (path: string): string => join(place.root, path);
const say = async (tool: Parameters<Place['run']>[0], args: unknown): Promise<string> =>
  textOf(await place.run(tool, args));
const over = (path: string, content: string): Promise<string> =>
  say('write_file', { path, content, overwrite: true });

describe('the form of the file', () => {
  it.each([
    [
      'a mark and line breaks',
      '\uFEFFa\r\nb\r\n',
      'x\ny\n',
      '\uFEFFx\r\ny\r\n',
      'keeping its byte order mark and CRLF line breaks',
    ],
    ['line breaks', 'a\r\nb\r\n', 'x\ny', 'x\r\ny', 'keeping its CRLF line breaks'],
    ['a mark', '\uFEFFa\n', '\uFEFFx\n', '\uFEFFx\n', 'keeping its byte order mark'],
    ['line breaks of old', 'a\rb\r', 'x\ny\n', 'x\ry\r', 'keeping its CR line breaks'],
    ['nothing unusual', 'a\nb\n', 'x\ny\n', 'x\ny\n', ''],
  ])('keeps %s', async (_, before, content, after, words) => {
    await writeFile(at('a.txt'), before);
    expect(await over('a.txt', content)).toBe(
      `Wrote \`a.txt\`: ${Buffer.byteLength(after)} bytes, replacing the previous content${words && `, ${words}`}.\n`,
    );
    expect(await readFile(at('a.txt'), 'utf8')).toBe(after);
  });

  it.each([
    ['mixed', 'a\r\nb\n', 'x\ny\n'],
    ['CRLF', 'a\r\nb\r\n', 'x\r\ny\n'],
  ])('says that %s line breaks are not kept', async (breaks, before, content) => {
    await writeFile(at('a.txt'), before);
    expect(await over('a.txt', content)).toContain(`; it had ${breaks} line breaks, now as given.`);
    expect(await readFile(at('a.txt'), 'utf8')).toBe(content);
  });

  it('keeps an encoding that is certain', async () => {
    await writeFile(at('a.txt'), iconv.encode('Größe\r\n', 'utf-16le', { addBOM: true }));
    expect(await over('a.txt', 'für\n')).toContain(
      'keeping its encoding utf-16le and byte order mark and CRLF',
    );
    expect(await readFile(at('a.txt'))).toEqual(iconv.encode('für\r\n', 'utf-16le', { addBOM: true }));
  });

  it('says which encoding is lost where it is a guess', async () => {
    await writeFile(at('a.txt'), Buffer.from('caf\u00e9\n', 'latin1'));
    expect(await over('a.txt', 'für\n')).toMatch(/; it was [\w-]+ and is now UTF-8\.\n$/);
    expect(await readFile(at('a.txt'), 'utf8')).toBe('für\n');
  });

  it('says that what was there was not text', async () => {
    await writeFile(at('a.bin'), Buffer.from([0, 1, 2, 0xff, 0xfe, 0, 0, 7]));
    expect(await over('a.bin', 'text\n')).toContain('which was not plain text; it is now UTF-8 text');
  });
});

describe('a change by someone else', () => {
  const before = 'one\ntwo\nthree\nfour\n';

  it.each<readonly [string, Parameters<Place['run']>[0], unknown]>([
    ['read', 'read_file', { path: 'a.txt' }],
    ['read with others', 'read_file', { paths: ['a.txt', 'b.txt'] }],
    ['found', 'search_files', { query: 'three' }],
    ['edited', 'edit_file', { path: './a.txt', old_text: 'four', new_text: '4' }],
    ['written', 'write_file', { path: '/workspace/a.txt', content: before, overwrite: true }],
  ])('since it was %s is not overwritten, and is shown', async (_, tool, args) => {
    await writeFile(at('a.txt'), before);
    await writeFile(at('b.txt'), 'b\n');
    expect((await place.run(tool, args)).isError).toBe(false);
    const now = (await readFile(at('a.txt'), 'utf8')).replace('two\n', 'TWO\nand more\n');
    await writeFile(at('a.txt'), now);
    expect(await over('a.txt', 'mine\n')).toBe(
      'Error CONFLICT: `a.txt` was changed by someone else since you last saw it; nothing was written. 1 line at line 2 replaced; lines 2-3 are now:\nTWO\nand more\n Write it again with these changes kept, or as before to discard them.',
    );
    expect(await readFile(at('a.txt'), 'utf8')).toBe(now);
    expect(await over('a.txt', 'mine\n')).toContain('replacing the previous content');
  });

  it('before an edit is shown with it, or a later write of the whole is refused', async () => {
    for (const [now, words, later] of [
      ['one\nTWO\nthree\nfour\n', 'Someone else changed the file since you last saw it.', 'Wrote'],
      [`${'line\n'.repeat(100)}four\n`, 'Someone else changed the file', 'CONFLICT'],
    ] as const) {
      await writeFile(at('a.txt'), before);
      await place.run('read_file', { path: 'a.txt' });
      await writeFile(at('a.txt'), now);
      expect(await say('edit_file', { path: 'a.txt', old_text: 'four', new_text: '4' })).toContain(words);
      expect(await over('a.txt', 'mine\n')).toContain(later);
    }
  });

  it('that is too long to show must be read first', async () => {
    await writeFile(at('a.txt'), before);
    await place.run('read_file', { path: 'a.txt' });
    await writeFile(at('a.txt'), 'line\n'.repeat(100));
    for (let turn = 0; turn < 2; turn += 1)
      expect(await over('a.txt', 'mine\n')).toMatch(/CONFLICT: [\s\S]*Read it again, then write it/);
    await place.run('read_file', { path: 'a.txt' });
    expect(await over('a.txt', 'mine\n')).toContain('Wrote');
  });

  it('that removed lines is said, and one that removed the file is not a conflict', async () => {
    await writeFile(at('a.txt'), before);
    await place.run('read_file', { path: 'a.txt' });
    await writeFile(at('a.txt'), 'one\nfour\n');
    expect(await over('a.txt', 'mine\n')).toContain('2 lines at line 2 removed.\n');
    const { rm } = await import('node:fs/promises');
    await rm(at('a.txt'));
    expect(await over('a.txt', 'mine\n')).toContain(', new.');
  });

  it('does not matter to a model that has not seen the file', async () => {
    await writeFile(at('a.txt'), before);
    expect(await over('a.txt', 'mine\n')).toContain('Wrote');
  });
});
