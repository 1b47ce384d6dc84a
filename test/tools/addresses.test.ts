// Addresses in the path arguments of tools.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from './place.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace({
    'data/orders.csv': 'id,name\n1,a\n2,b\n3,c\n',
    'data/api.json': '{"info": {"title": "x y"}, "a b": 1}',
    'info/title': 'another file',
    'src/server.py': 'one = 1\ntwo = 2\nthree = 3\n\n\ndef serve():\n    return 4\n',
    'odd#L2.txt': 'first\nsecond\n',
    'web/index.ts': 'export {};\n',
    'app/index.ts': 'export {};\n',
  });
});
afterAll(() => place.remove());

const read = async (path: string, more: object = {}): Promise<string> =>
  textOf(await place.run('read_file', { path, ...more }));

it('reads the place', async () => {
  expect(await read('data/orders.csv#row=2')).toMatch(/^id,name\n2,b\n\[/);
  expect(await read('data/api.json#/info/title')).toBe('"x y"');
  expect(await read('src/server.py#serve')).toMatch(/^6: def serve\(\):\n7: {5}return 4\n/);
  expect(await read('src/server.py#L2')).toMatch(/^2: two = 2\n(?!3: )/);
  expect(await read('odd#L2.txt')).toBe('first\nsecond\n');
  expect(await read('odd#L2.txt#L2')).toMatch(/^second\n/);
  expect(await read('data/orders.csv#row=2', { rows: '3' })).toBe(
    'Error BAD_INPUT: The path ends in `#row=2`, but `rows` is `3`. Omit `#row=2` or `rows`.',
  );
});

it('reads it of the only file that the path can mean', async () => {
  expect(await read('/home/user/project/src/server.py#L2')).toBe(
    '2: two = 2\n[Note: line 2 of 7]\n[Note: `/home/user/project/src/server.py` does not exist in the workspace; this is `src/server.py`.]\n',
  );
  expect(await read('workspace/data/orders.csv#row=2')).toMatch(/^id,name\n2,b\n\[/);
  expect(await read('index.ts#L1')).toContain('Files of that name are `app/index.ts`, `web/index.ts`.');
  expect(await read('none.csv#row=2')).toContain('Error FILE_NOT_FOUND: There is no file `none.csv#row=2`');
  // No path with many `#` takes many searches.
  expect(await read(`none${'#x'.repeat(100)}`)).toContain('Error FILE_NOT_FOUND');
});

it('takes the fragment of a URI, which alone is percent-encoded once more', async () => {
  expect(await read('workspace:///data/orders.csv#row=2')).toMatch(/^id,name\n2,b\n\[/);
  expect(await read('workspace:///data/api.json#/a%20b')).toBe('1');
  expect(await read('workspace:///odd%23L2.txt')).toBe('first\nsecond\n');
});

it('reads several', async () => {
  const text = textOf(
    await place.run('read_file', { paths: ['data/orders.csv#row=2', 'data/orders.csv#row=3'] }),
  );
  expect(text).toMatch(/orders\.csv#row=2 .*\nid,name\n2,b\n[\s\S]*orders\.csv#row=3 .*\nid,name\n3,c\n/);
});

it('tells facts of the file', async () => {
  expect(textOf(await place.run('file_info', { path: 'data/orders.csv#row=2' }))).toMatch(
    /^path: data\/orders\.csv\n[\s\S]*\nbytes: 20\n[\s\S]*\nrows: 3\n/,
  );
});

it('counts as seen, so that a later change is noticed', async () => {
  await read('data/orders.csv#row=2');
  await place.workspace.write('data/orders.csv', 'id,name\n1,changed\n', { overwrite: true });
  const answer = textOf(
    await place.run('write_file', { path: 'data/orders.csv', content: 'id\n', overwrite: true }),
  );
  expect(answer).toContain('Error CONFLICT');
});

it('edits the file of an address of lines', async () => {
  const answer = await place.run('edit_file', {
    path: 'src/server.py#L2',
    old_text: 'two = 2',
    new_text: 'two = 22',
  });
  expect(answer.isError).toBe(false);
});
