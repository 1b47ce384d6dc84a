// Paths that lead nowhere as they are written find the one file they can mean, and nothing that is hidden, ignored or
// outside.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from './place.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace({
    '.gitignore': 'build/\n',
    'app.py': 'root = 1\n',
    'src/server.py': 'one = 1\ntwo = 2\nthree = 3\n',
    'src/index.ts': 'export {};\n',
    'web/index.ts': 'export {};\n',
    'build/out.js': 'built();\n',
    'build/deep/out.js': 'built();\n',
    '.secret/key.txt': 'SECRET\n',
    '.env': 'SECRET=1\n',
    'odd:7': 'a name with a colon\n',
    odd: 'another\n',
    'mail.zip': new Uint8Array([0x50, 0x4b, 5, 6, ...new Array<number>(18).fill(0)]),
  });
});
afterAll(() => place.remove());

const said = async (path: string, more: object = {}): Promise<string> =>
  textOf(await place.run('read_file', { path, ...more }));

it.each([
  '/src/server.py',
  'workspace/src/server.py',
  '/home/user/project/src/server.py',
  'project/src/server.py',
  'server.py',
  '/server.py',
  './src//server.py',
  '@src/server.py',
  'file:///home/user/project/src/server.py',
  'C:\\project\\src\\server.py',
])('reads the only file that %s can mean', async (path) => {
  expect(await said(path)).toContain('one = 1');
});

it('shows the lines that stand behind a path, unless others are asked for', async () => {
  expect(await said('src/server.py:2')).toMatch(/^2: two = 2\n3: three = 3\n/);
  expect(await said('src/server.py:2-2')).toMatch(/^2: two = 2\n(?!3: )/);
  expect(await said('server.py#L2-L2')).toMatch(/^2: two = 2\n(?!3: )/);
  expect(await said('src/server.py:2', { lines: '3' })).toMatch(/^3: three = 3\n/);
  expect(await said('odd:7')).toBe('a name with a colon\n');
});

it('says which file it took for another path', async () => {
  expect(await said('/home/user/project/src/server.py')).toContain(
    '[Note: `/home/user/project/src/server.py` does not exist in the workspace; this is `src/server.py`.]',
  );
  expect(await said('/src/server.py')).not.toContain('[Note:');
});

it('names the files when several fit, or one that fits too little', async () => {
  expect(await said('index.ts')).toBe(
    'Error FILE_NOT_FOUND: `index.ts` does not exist. Files of that name are `src/index.ts`, `web/index.ts`. Use one of these paths.',
  );
  expect(await said('lib/server.py')).toBe(
    'Error FILE_NOT_FOUND: `lib/server.py` does not exist. A file of that name is `src/server.py`. Use that path if it is the file you mean.',
  );
  // One name alone is not enough to change a file by.
  const edit = await place.run('edit_file', { path: '/elsewhere/app.py', old_text: 'root', new_text: 'x' });
  expect(textOf(edit)).toContain('A file of that name is `app.py`.');
  expect(await said('/elsewhere/app.py')).toContain('root = 1');
});

it.each([
  'out.js',
  '/home/user/deep/out.js',
  'key.txt',
  '/home/user/.env',
  '/x/.secret/key.txt',
  '../other/src/server.py',
  '/etc/../src/server.py',
  '/home/user/build',
])('never guesses %s', async (path) => {
  expect(await said(path)).toMatch(/^Error (?:FILE_NOT_FOUND|PATH_ESCAPES_WORKSPACE): /);
});

it.each(['https://example.com/src/server.py', 's3://bucket/server.py'])('refuses the URL %s', async (url) => {
  expect(await said(url)).toMatch(/^Error BAD_INPUT: .* is a URL;/);
  expect(textOf(await place.run('write_file', { path: url, content: 'x' }))).toMatch(/is a URL;/);
});
