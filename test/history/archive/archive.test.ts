// Archiving and restoring originals: exact for any text, and an error if anything changed since it was saved.

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReaderError } from '../../../src/contract/index.ts';
import { Archive, type ArchivedMessage } from '../../../src/history/archive/archive.ts';
import { sha256Of, wellFormed } from '../../../src/history/archive/exact-text.ts';
import { type Segment, segmentOf } from '../../../src/history/archive/segment.ts';
import { createMemoryStorage } from '../../../src/history/archive/storage.ts';
import { type Item, item } from '../../../src/history/codecs/message.ts';
import { openStorage } from '../../support/chat.ts';
import { draws } from '../../support/draws.ts';
import { awkwardText } from '../awkward.ts';
import { createFolderStorage } from '../folder-storage.mjs';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-archive-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const message = (...items: Item[]): ArchivedMessage => ({
  native: () => ({ role: 'user', content: items.map(({ text }) => ({ type: 'text', text })) }),
  view: { role: 'user', items },
  names: items.map(() => 'read'),
});

/** The files of messages. */
function filesOf(
  messages: readonly ArchivedMessage[],
  {
    codec,
    shownAs,
    owner,
  }: { readonly codec?: string; shownAs?(path: string): string; readonly owner?: string } = {},
): Segment {
  const folder = owner === undefined ? 'conversation_history' : `conversation_history/${owner}`;
  return segmentOf(messages, { codec: codec ?? null, shownAs: shownAs ?? ((path) => path), folder });
}

/** The texts as a storage of UTF-8 files returns them. */
function utf8Storage(): ReturnType<typeof openStorage> {
  const inner = openStorage();
  return {
    ...inner,
    write: (path, text) => inner.write(path, new TextDecoder().decode(new TextEncoder().encode(text))),
    shownAs: (path) => `/workspace/${path}`,
  };
}

async function failure(promise: Promise<unknown>): Promise<ReaderError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ReaderError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('a segment', () => {
  it('is named by content, the same for the same messages', () => {
    const one = filesOf([message(item('user', { text: 'a' }))], { codec: 'ai-sdk' });
    const same = filesOf([message(item('user', { text: 'a' }))], { codec: 'ai-sdk' });
    const other = filesOf([message(item('user', { text: 'b' }))], { codec: 'ai-sdk' });
    expect(one.id).toMatch(/^[0-9a-f]{16}$/);
    expect(one.id).toBe(sha256Of(one.json).slice(0, 16));
    expect([same.json, same.markdown]).toEqual([one.json, one.markdown]);
    expect(other.id).not.toBe(one.id);
    expect([one.jsonPath, one.markdownPath]).toEqual([
      `conversation_history/${one.id}.json`,
      `conversation_history/${one.id}.md`,
    ]);
    expect(JSON.parse(one.json)).toMatchObject({
      version: 1,
      codec: 'ai-sdk',
      messages: [{ message: { role: 'user' } }],
      texts: [{ message: 0, item: 0, lines: [3, 3] }],
    });
  });

  it('shows a text by its lines and a part without text by its message', () => {
    const segment = filesOf([message(item('result', { text: 'a\nb' }), item('media'))], {
      shownAs: (path) => `/workspace/${path}`,
    });
    expect(segment.textPointer(0, 0)).toEqual({
      pointer: `conversation_history/${segment.id}.md:6-7`,
      shown: `/workspace/conversation_history/${segment.id}.md lines 6-7`,
    });
    expect(segment.textPointer(0, 1)).toEqual({
      pointer: `conversation_history/${segment.id}.json#1`,
      shown: `/workspace/conversation_history/${segment.id}.json#1`,
    });
  });

  it('rejects messages that are not JSON, and accepts all others', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const native of [cycle, { big: 1n }])
      expect(() => filesOf([{ ...message(), native: () => native }])).toThrow(/Message 1 is not valid JSON/);
    expect(() => filesOf([{ ...message(), native: () => undefined }])).not.toThrow();
  });
});

it('restores every text and every message exactly, from what placeholders show', async () => {
  const items = fc.array(fc.tuple(fc.constantFrom('user', 'text', 'call', 'result'), awkwardText), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(items, { minLength: 1, maxLength: 4 }), async (given) => {
      const storage = utf8Storage();
      const messages = given.map((parts) =>
        // One of the kinds above.
        message(...parts.map(([kind, text]) => item(kind as Item['kind'], { text }))),
      );
      const segment = filesOf(messages);
      const kept = await new Archive(storage).keep(messages);
      const other = new Archive(storage);
      for (const [index, { native, view }] of messages.entries()) {
        const whole = await other.restore(kept.pointer(index));
        expect(whole.kind).toBe('message');
        expect(whole.message).toEqual(native());
        for (const [at, { text }] of view.items.entries()) {
          const { pointer, shown } = kept.textPointer(index, at);
          for (const one of [pointer, shown, `/workspace/${pointer}`, `  ${shown}\n`]) {
            const restored = await other.restore(one);
            expect(restored).toEqual({ kind: 'text', sha256: sha256Of(text), text });
          }
        }
      }
      const file = await other.restore(segment.markdownPath);
      expect(file.text).toBe(segment.markdown);
      expect((await other.restore(segment.jsonPath)).text).toBe(segment.json);
    }),
    { numRuns: draws(150) },
  );
});

it('offloads any text of a tool of any name, and restores it exactly', async () => {
  await fc.assert(
    fc.asyncProperty(awkwardText, fc.string({ unit: 'binary' }), async (text, toolName) => {
      const storage = utf8Storage();
      const archive = new Archive(storage);
      const it = archive.offloaded(toolName, text);
      expect(it.path).toMatch(/^tool_outputs\/[a-z0-9][a-z0-9-]{0,39}-[0-9a-f]{16}\.txt$/);
      expect(it.shown).toBe(`/workspace/${it.path}`);
      await archive.offload(it, text);
      await archive.offload(it, text);
      for (const pointer of [it.path, it.shown])
        expect(await new Archive(storage).restore(pointer)).toEqual({
          kind: 'text',
          sha256: it.sha256,
          text,
        });
      // The part that a model reads.
      expect(await storage.read(it.path)).toBe(wellFormed(text.replace(/^\ufeff+/, '')));
    }),
    { numRuns: draws(300) },
  );
});

it('names texts differently that UTF-8 would make equal', () => {
  const archive = new Archive(createMemoryStorage());
  const names = ['\ud800', '\ud801', '\ufffd', '\udc00'].map((text) => archive.offloaded('x', text).path);
  expect(new Set(names).size).toBe(4);
  expect(archive.offloaded('mcp__Server.Read File', 'a').path).toMatch(
    /^tool_outputs\/mcp-server-read-file-/,
  );
  expect(archive.offloaded(null, 'a').path).toMatch(/^tool_outputs\/tool-/);
  expect(archive.offloaded('../../etc/passwd', 'a').path).toMatch(/^tool_outputs\/etc-passwd-/);
  expect(archive.offloaded('A'.repeat(5_000_000), 'a').path.length).toBeLessThan(80);
});

describe('a storage that fails', () => {
  const texts = [message(item('user', { text: 'keep me' }))];
  const errno = (code: string): Error =>
    Object.assign(new Error(`${code}: failed, open '/home/secret/x'`), { code, path: '/home/secret/x' });
  const denied = new ReaderError('PATH_ESCAPES_WORKSPACE', 'no /home/secret', 'hint');
  const cases: readonly (readonly [name: string, thrown: unknown, code: string])[] = [
    ['full', errno('ENOSPC'), 'QUOTA_EXCEEDED'],
    ['over its quota', errno('EDQUOT'), 'QUOTA_EXCEEDED'],
    ['full by its own word', new ReaderError('QUOTA_EXCEEDED', '/home/secret', 'x'), 'QUOTA_EXCEEDED'],
    ['read-only', errno('EROFS'), 'ACCESS_DENIED'],
    ['not ours', errno('EACCES'), 'ACCESS_DENIED'],
    ['outside', denied, 'ACCESS_DENIED'],
    ['broken', new Error('/home/secret'), 'INTERNAL'],
    ['throwing no error', 'text', 'INTERNAL'],
    ['throwing nothing', undefined, 'INTERNAL'],
  ];
  for (const [name, thrown, code] of cases)
    it(`${name}: says so with a next step, and nothing of the host`, async () => {
      const storage = { ...createMemoryStorage(), write: () => Promise.reject(thrown) };
      const archive = new Archive(storage);
      const offloaded = archive.offloaded('read', 'text');
      for (const promise of [archive.keep(texts), archive.offload(offloaded, 'text')]) {
        const error = await failure(promise);
        expect(error.code).toBe(code);
        expect(error.hint).not.toBe('');
        expect(`${error.message} ${error.hint}`).not.toContain('secret');
      }
    });

  it('throws synchronously', async () => {
    const storage = {
      ...createMemoryStorage(),
      read: () => {
        throw new Error('now');
      },
    };
    const archive = new Archive(storage);
    expect((await failure(archive.keep(texts))).code).toBe('INTERNAL');
    expect((await failure(archive.restore('tool_outputs/read-0123456789abcdef.txt'))).code).toBe('INTERNAL');
  });

  const changed: readonly (readonly [string, (text: string) => string | null | number])[] = [
    ['cut', (text) => text.slice(1)],
    ['other line breaks', (text) => text.replaceAll('\n', '\r\n')],
    ['other text of the same length', (text) => `x${text.slice(1)}`],
    ['gone', () => null],
    ['no text', () => 7],
  ];
  for (const [name, change] of changed)
    it(`reads back ${name}: nothing counts as kept`, async () => {
      for (const ending of ['.md', '.json', '.txt']) {
        const inner = createMemoryStorage();
        const storage = {
          ...inner,
          read: async (path: string) => {
            const text = await inner.read(path);
            // Values an untyped storage may return.
            return text === null || !path.endsWith(ending) ? text : (change(text) as string | null);
          },
        };
        const archive = new Archive(storage);
        const it = archive.offloaded('read', 'text\n');
        const error = await failure(ending === '.txt' ? archive.offload(it, 'text\n') : archive.keep(texts));
        expect(error.code).toBe('INTERNAL');
      }
    });

  it('does not write a file that already exists', async () => {
    const inner = createMemoryStorage();
    let writes = 0;
    const archive = new Archive({
      ...inner,
      write: (path, text) => {
        writes += 1;
        return inner.write(path, text);
      },
    });
    await archive.keep(texts);
    await archive.keep(texts);
    expect(writes).toBe(2);
  });
});

describe('restore', () => {
  it('rejects an invalid pointer', async () => {
    const archive = new Archive(utf8Storage());
    const messages = [message(item('user', { text: 'a\nb' }))];
    await archive.keep(messages);
    const { jsonPath, markdownPath } = filesOf(messages);
    const wrong: unknown[] = [
      '',
      'x',
      '../../etc/passwd',
      '/etc/conversation_history/0123456789abcdef.json#1',
      `${jsonPath}#0`,
      `${jsonPath}#2`,
      `${jsonPath}#99999999`,
      `${jsonPath}:1-2`,
      `${markdownPath}#1`,
      `${markdownPath}:3-3`,
      `${markdownPath}:4-3`,
      `${markdownPath} lines 1-999`,
      `conversation_history/../${jsonPath}`,
      'a'.repeat(5_000_000),
      null,
      7,
      {},
    ];
    // An untyped caller may pass anything.
    for (const pointer of wrong)
      expect((await failure(archive.restore(pointer as string))).code).toBe('BAD_INPUT');
    expect((await archive.restore(`${markdownPath}:3-4`)).text).toBe('a\nb');
  });

  it('reports what is missing, and what changed since it was saved', async () => {
    const storage = utf8Storage();
    const archive = new Archive(storage);
    const messages = [message(item('result', { text: 'a\nb' }))];
    const segment = filesOf(messages);
    const output = archive.offloaded('read', 'text');
    const { pointer } = segment.textPointer(0, 0);
    for (const one of [pointer, segment.pointer(0), segment.jsonPath, output.path])
      expect((await failure(archive.restore(one))).code).toBe('FILE_NOT_FOUND');
    await archive.keep(messages);
    await archive.offload(output, 'text');

    storage.files.delete(segment.markdownPath);
    expect((await failure(archive.restore(pointer))).code).toBe('FILE_NOT_FOUND');
    await storage.write(segment.markdownPath, segment.markdown.replace('a\nb', 'x\nb'));
    const error = await failure(archive.restore(pointer));
    expect(error.code).toBe('CORRUPT_FILE');
    expect(error.hint).toContain(segment.pointer(0));
    expect((await archive.restore(segment.pointer(0))).message).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'a\nb' }],
    });
    // Saving again repairs it.
    await archive.keep(messages);
    expect((await archive.restore(pointer)).text).toBe('a\nb');

    await storage.write(segment.jsonPath, segment.json.replace('user', 'tool'));
    await storage.write(output.path, 'other');
    for (const one of [pointer, segment.pointer(0), segment.jsonPath, output.path])
      expect((await failure(archive.restore(one))).code).toBe('CORRUPT_FILE');
  });

  it('never writes over another original, and looks at the hash of each message', async () => {
    const storage = createMemoryStorage();
    const archive = new Archive(storage);
    const output = archive.offloaded('read', 'text');
    await archive.offload(output, 'text');
    expect((await failure(archive.offload(output, 'other'))).code).toBe('INTERNAL');
    expect((await archive.restore(output.path)).text).toBe('text');
    const segment = filesOf([message(item('user', { text: 'a' }))]);
    const json = segment.json.replace(/"message":\{/, '"message":{"x":1,');
    const path = `conversation_history/${sha256Of(json).slice(0, 16)}.json`;
    await storage.write(path, json);
    expect((await failure(archive.restore(`${path}#1`))).code).toBe('CORRUPT_FILE');
  });

  it('works in another process, from files', async () => {
    const archive = new Archive(createFolderStorage(folder));
    const text = 'CR LF\r\nCR\rhalf \ud83d $& ``` end\n';
    const kept = await archive.keep([message(item('result', { text }), item('text', { text: 'plain\r\n' }))]);
    const output = archive.offloaded('read', text);
    await archive.offload(output, text);
    const pointers = [kept.textPointer(0, 0).shown, kept.textPointer(0, 1).pointer, output.path];
    const script = fileURLToPath(new URL('../restore-in-process.mjs', import.meta.url));
    const printed = execFileSync(process.execPath, [script, folder, ...pointers], { encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual([text, 'plain\r\n', text]);
    // The files are UTF-8 and contain what UTF-8 can represent.
    expect(await readFile(join(folder, output.path), 'utf8')).toBe(wellFormed(text));
    await writeFile(join(folder, kept.shownMarkdown.slice('/workspace/'.length)), '');
    expect((await archive.restore(kept.textPointer(0, 0).pointer)).text).toBe(text);
    expect((await failure(archive.restore(kept.textPointer(0, 1).pointer))).code).toBe('CORRUPT_FILE');
  });
});

it('takes linear time for a long conversation', async () => {
  const archive = new Archive(createMemoryStorage());
  const messages = [
    ...Array.from({ length: 20_000 }, (_, index) => message(item('result', { text: `${index}\r\n` }))),
    message(item('result', { text: 'x'.repeat(5_000_000) })),
    message(item('result', { text: '\ud800'.repeat(1_000_000) })),
  ];
  const kept = await archive.keep(messages);
  expect((await archive.restore(kept.textPointer(20_001, 0).pointer)).text.length).toBe(1_000_000);
});

describe('messages', () => {
  it('are returned as copies', async () => {
    const archive = new Archive(createMemoryStorage());
    const kept = await archive.keep([message(item('user', { text: 'a' }))]);
    for (let time = 0; time < 2; time += 1) {
      const { message: given } = await archive.restore(kept.pointer(0));
      expect(given).toEqual({ role: 'user', content: [{ type: 'text', text: 'a' }] });
      // The caller may modify the result.
      (given as { role: string }).role = 'changed';
    }
  });
});
