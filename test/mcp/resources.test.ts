import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReader, type Workspace } from '../../src/index.ts';
import { listResources, pathOf, uriOf } from '../../src/mcp/resources.ts';

test('every path is the path of its resource', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (path) => {
      const uri = uriOf(path);
      expect(pathOf(uri)).toBe(path);
      expect(new URL(uri).protocol).toBe('workspace:');
      expect(uri).toMatch(/^[\x21-\x7e]+$/);
    }),
  );
});

test.each([
  ['file:///etc/passwd', 'does not name a file of the workspace'],
  ['workspace://host/a', 'does not name a file of the workspace'],
  ['workspace:/a', 'does not name a file of the workspace'],
  ['', 'does not name a file of the workspace'],
  ['workspace:///a?b', 'has a query or a fragment'],
  ['workspace:///a#b', 'has a query or a fragment'],
  ['workspace:///%zz', 'is not percent-encoded UTF-8'],
  ['workspace:///%ff', 'is not percent-encoded UTF-8'],
  ['workspace:///a%2Fb', 'has an encoded slash'],
])('%s is refused: it %s', (uri, why) => {
  expect(() => pathOf(uri)).toThrow(why);
});

test('a path is decoded once', () => {
  expect(pathOf('workspace:///%252e%252e/a')).toBe('%2e%2e/a');
  expect(pathOf('WORKSPACE:///%2e%2e/a')).toBe('../a');
});

test('the list tells what the endings say, and leaves open what they do not', async () => {
  const names = {
    'a.jpg': 'image/jpeg',
    'a.png': 'image/png',
    'a.ts': 'text/plain',
    'a.md': 'text/markdown',
    'a.csv': 'text/csv',
    'a.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'a.pdf': 'application/pdf',
    'A.PDF': 'application/pdf',
    'a.unheard': undefined,
    a: undefined,
  };
  // Only what the list asks of a workspace.
  const workspace = {
    limits: { maxListedEntries: 500 },
    glob: async () => ({
      entries: Object.keys(names).map((path) => ({ path, kind: 'file', bytes: 1 })),
      total: null,
      next: null,
      notes: [],
    }),
  } as unknown as Workspace;
  const { resources, nextCursor } = await listResources(
    workspace,
    createReader({ cache: false }).processors,
    undefined,
    new AbortController().signal,
  );
  expect(Object.fromEntries(resources.map(({ name, mimeType }) => [name, mimeType]))).toEqual(names);
  expect(nextCursor).toBeUndefined();
});
