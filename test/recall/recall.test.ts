import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/database/index.ts';
import {
  createPostgresArchives,
  type Embedder,
  openRecall,
  type Recall,
  type RecallEntry,
} from '../../src/recall/index.ts';
import type { ServiceDatabase } from '../../src/service/database.ts';
import { databaseAt, onEachDatabase } from '../service/engines.ts';

const result = (text: string, id?: string): RecallEntry => ({
  text,
  kind: 'result',
  source: 'read_file',
  ...(id !== undefined && { id }),
});
onEachDatabase(() => {
  let folder: string;
  let shared: ServiceDatabase;
  let recall: Recall;
  /** The archive of this test, opened once more. */
  const opened = async (options: { readonly embedder?: Embedder } = {}): Promise<Recall> => {
    const storage = shared.isShared
      ? await (await createPostgresArchives(shared)).open('ada', 's')
      : join(folder, 'archive');
    return openRecall({ storage, ...options });
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-recall-'));
    shared = await databaseAt(folder);
    recall = await opened();
  });
  afterEach(async () => {
    await recall.close();
    await shared.close();
    await rm(folder, { recursive: true, force: true });
  });

  const found = async (query: string, limit = 5): Promise<string[]> =>
    (await recall.search(query, { limit })).map(({ id }) => id);

  describe('recall', () => {
    it.each([
      ['an identifier as a whole', 'getUserName'],
      ['in another style', 'get_user_name'],
      ['by its parts', 'user name'],
      ['by a part', 'name'],
      ['in another case', 'GETUSERNAME'],
      ['by its start', 'getUserNa'],
      ['misspelt', 'getUsreName'],
      ['by a piece of it', 'serNam'],
    ])('finds a name %s', async (_, query) => {
      await recall.add([
        result('const id = getUserName(request);', 'wanted'),
        result('export function setBalance(account: Account): void {', 'other'),
      ]);
      expect(await found(query)).toEqual(['wanted']);
    });

    it.each([
      ['src/app/main.ts', 'path'],
      ['main.ts', 'path'],
      ['Reader.read', 'dotted'],
      ['code-aware', 'kebab'],
      ['0.31.7', 'version'],
      ['8271', 'number'],
      ['HTTP server', 'acronym'],
      ['注文番号', 'unspaced'],
      ['番号', 'unspaced'],
    ])('finds %s', async (query, id) => {
      await recall.add([
        result('opened src/app/main.ts', 'path'),
        result('main of the app, ts of src', 'scattered'),
        result('calls Reader.read twice', 'dotted'),
        result('a code-aware splitter', 'kebab'),
        result('upgraded to 0.31.7 today', 'version'),
        result('order 8271 was late', 'number'),
        result('class HTTPServer extends Base', 'acronym'),
        result('顧客の注文番号を確認した', 'unspaced'),
      ]);
      expect((await found(query))[0]).toBe(id);
    });

    it('puts entries with all words before those with some', async () => {
      await recall.add([
        result('timeout timeout timeout timeout', 'often'),
        result('the queue gives up after its timeout', 'both'),
        result('a queue', 'one'),
      ]);
      expect(await found('queue timeout')).toEqual(['both', 'often', 'one']);
    });

    it('finds a text by where it came from', async () => {
      await recall.add([{ ...result('port = 4137', 'wanted'), source: 'read_file src/parser.ts' }]);
      await recall.add([result('see src/parser.ts and src/router.ts', 'other')]);
      expect(await found('src/parser.ts')).toEqual(['wanted', 'other']);
    });

    it('leaves words out that most entries have', async () => {
      await recall.add(
        Array.from({ length: 60 }, (_, at) => result(`the file was read and the result is ${at}`, `${at}`)),
      );
      await recall.add([result('nothing but a pelican', 'rare')]);
      expect(await found('the result of the pelican was read')).toEqual(['rare']);
      expect(await found('the result')).toHaveLength(5);
    });

    it('gives the passage with its line, and the entry whole', async () => {
      const lines = Array.from({ length: 400 }, (_, at) => `line ${at + 1} of the listing`);
      lines[311] = 'line 312 holds the flamingo';
      await recall.add([result(lines.join('\n'), 'long')]);
      const [hit] = await recall.search('flamingo');
      expect(hit?.text).toContain('flamingo');
      expect(hit?.text.length).toBeLessThanOrEqual(2500);
      expect(hit?.text.split('\n')[312 - (hit?.line ?? 0)]).toBe(lines[311]);
      expect(await recall.text('long')).toBe(lines.join('\n'));
      expect(await recall.text('short')).toBeUndefined();
    });

    it('keeps only the kind that is asked for', async () => {
      await recall.add([
        result('a heron', 'a'),
        { text: 'a heron', kind: 'document', source: 'b.md', id: 'b' },
      ]);
      expect((await recall.search('heron', { kind: 'document' })).map(({ id }) => id)).toEqual(['b']);
    });

    it('adds the same entry once, and is there after a restart, for two at a time', async () => {
      await recall.add([result('a heron'), result('a heron'), result('a stork', 's')]);
      await recall.add([result('a heron'), result('another text', 's')]);
      const second = await opened();
      await second.add([result('a crane', 'c')]);
      expect(await recall.search('heron')).toHaveLength(1);
      expect(await found('crane')).toEqual(['c']);
      expect(await second.text('s')).toBe('a stork');
      await second.close();
    });

    it('keeps and finds every part of a long line', async () => {
      const text = `${'x'.repeat(1500)} firstNeedle ${'y'.repeat(6000)} lastNeedle ${'z'.repeat(3000)}`;
      await recall.add([result(text, 'minified')]);
      expect(await recall.text('minified')).toBe(text);
      expect(await found('lastNeedle')).toEqual(['minified']);
    });

    it('never mixes two texts under one id', async () => {
      const long = Array.from({ length: 300 }, (_, at) => `line ${at} of the document`).join('\n');
      await recall.add([result('a stork', 'same'), result(long, 'same')]);
      await recall.add([result(long, 'same')]);
      expect(await recall.text('same')).toBe('a stork');
      await recall.add([result(long, 'other')]);
      await recall.add([result(`${long}\n${long}`.toUpperCase(), 'other')]);
      expect(await recall.text('other')).toBe(long);
    });

    it.each(['हिन्दी', 'تَشْكِيل', 'cafe\u0301', '검색', '검색을'])('finds %s', async (query) => {
      await recall.add([result(query === '검색' ? '한국어 검색을' : `text ${query} text`, 'wanted')]);
      expect(await found(query)).toEqual(['wanted']);
    });

    it('takes any text and any query, and gives texts back unchanged', { timeout: 120_000 }, async () => {
      const texts = fc.string({ unit: 'binary', maxLength: 500 });
      let number = 0;
      await fc.assert(
        fc.asyncProperty(texts, texts, async (text, query) => {
          number += 1;
          await recall.add([result(text, `${number}`)]);
          await recall.search(query);
          await recall.search(text);
          expect(await recall.text(`${number}`)).toBe(text === '' ? undefined : text);
        }),
        { numRuns: 40 },
      );
    });

    it.each(['"', 'a" OR "b', 'NEAR(a b)', 'words:a', '-a', '* ^ ( ) {', 'AND OR NOT', 'a*', ''])(
      'reads %j as words, never as syntax',
      async (query) => {
        await recall.add([result('a text')]);
        await expect(recall.search(query)).resolves.toBeInstanceOf(Array);
      },
    );

    it('fuses words with vectors, and embeds what an earlier call could not', async () => {
      const topic: Embedder = async (texts) =>
        texts.map(
          (text) => new Float32Array([/bird|heron/.test(text) ? 1 : 0, /car|van/.test(text) ? 1 : 0, 0.1]),
        );
      let broken = true;
      const embedder: Embedder = (texts) => (broken ? Promise.reject(new Error('offline')) : topic(texts));
      const other = await opened({ embedder });
      await expect(
        other.add([result('a heron stands', 'heron'), result('a van drives', 'van')]),
      ).rejects.toThrow('offline');
      expect(await found('heron')).toEqual(['heron']);
      broken = false;
      await other.add([result('a bird of prey', 'bird')]);
      const ids = (await other.search('bird', { limit: 2 })).map(({ id }) => id);
      expect(ids).toEqual(['bird', 'heron']);
      await other.close();
    });

    it.each<[string, unknown]>([
      ['too few vectors', []],
      ['too many vectors', [new Float32Array([1]), new Float32Array([1])]],
      ['not a number', [new Float32Array([Number.NaN])]],
      ['an empty vector', [new Float32Array()]],
      ['plain arrays', [[1, 2]]],
      ['nothing', undefined],
    ])('refuses an embedder that returns %s', async (_, returned) => {
      const embedder = vi.fn().mockResolvedValue(returned);
      const other = await opened({ embedder });
      await expect(other.add([result('a heron')])).rejects.toMatchObject({ code: 'BAD_INPUT' });
      await expect(other.search('heron')).rejects.toMatchObject({ code: 'BAD_INPUT' });
      await other.close();
    });

    it('searches by words alone while the embedder fails or hangs', async () => {
      let answer: () => Promise<Float32Array[]> = async () => [new Float32Array([1, 0])];
      const other = await opened({ embedder: () => answer() });
      await other.add([result('a heron', 'heron')]);
      answer = () => Promise.reject(new Error('offline'));
      expect((await other.search('heron')).map(({ id }) => id)).toEqual(['heron']);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        answer = () => new Promise(() => undefined);
        const waiting = other.search('heron');
        await vi.advanceTimersByTimeAsync(10_000);
        vi.useRealTimers();
        expect((await waiting).map(({ id }) => id)).toEqual(['heron']);
      } finally {
        vi.useRealTimers();
      }
      await other.close();
    });

    it('says that it is closed, and what is wrong with its options', async () => {
      const other = await opened();
      await other.close();
      await other.close();
      const closed = { code: 'BAD_INPUT', message: 'The archive is closed.' };
      await expect(other.search('x')).rejects.toMatchObject(closed);
      await expect(other.add([result('x')])).rejects.toMatchObject(closed);
      await expect(other.text('x')).rejects.toMatchObject(closed);
      for (const options of ['{"storage":""}', '{"storage":5}', '{}', '{"storage":"x","embedder":5}'])
        await expect(openRecall(JSON.parse(options))).rejects.toMatchObject({ code: 'BAD_INPUT' });
    });

    it('says why an archive cannot be opened', async () => {
      await writeFile(join(folder, 'file'), '');
      await expect(openRecall({ storage: join(folder, 'file', 'sub') })).rejects.toMatchObject({
        code: 'NOT_A_FOLDER',
      });
      await mkdir(join(folder, 'sub', 'recall.db'), { recursive: true });
      await expect(openRecall({ storage: join(folder, 'sub') })).rejects.toMatchObject({
        code: 'INTERNAL',
        message: 'The database of the archive could not be opened.',
      });
    });

    it('says what is wrong with an entry', async () => {
      await expect(recall.add([{ ...result('x'), source: '' }])).rejects.toMatchObject({ code: 'BAD_INPUT' });
      await expect(recall.add([{ ...result('x'), kind: JSON.parse('"odd"') }])).rejects.toThrow(/`kind`/);
      await expect(recall.add([{ ...result('x'), id: '' }])).rejects.toThrow(/`id`/);
      await expect(recall.add(JSON.parse('[null]'))).rejects.toThrow('An entry must be an object.');
      await expect(recall.add(JSON.parse('{}'))).rejects.toThrow('The entries must be an array.');
    });

    it('says what is wrong with a search', async () => {
      await expect(recall.search(JSON.parse('5'))).rejects.toThrow(
        'The query is a value of type `number`; expected a string.',
      );
      for (const limit of [0, 1.5, Number.NaN])
        await expect(recall.search('x', { limit })).rejects.toMatchObject({ code: 'BAD_INPUT' });
      await expect(recall.search('x', { kind: JSON.parse('"odd"') })).rejects.toThrow(/`kind`/);
      const misspelt: object = { limits: 5 };
      await expect(recall.search('x', misspelt)).rejects.toMatchObject({ hint: 'Did you mean `limit`?' });
    });

    it('says that an archive is of an earlier build, and leaves it as it is', async () => {
      const place = join(folder, 'old');
      await mkdir(place);
      const database = await openDatabase(join(place, 'recall.db'), { of: 'archive' });
      await database.migrate('recall', [
        {
          up: 'CREATE TABLE passages (position INTEGER PRIMARY KEY, id TEXT NOT NULL, text TEXT NOT NULL) STRICT;',
          down: 'DROP TABLE passages;',
        },
      ]);
      await database.close();
      await expect(openRecall({ storage: place })).rejects.toMatchObject({
        code: 'CORRUPT_FILE',
        hint: 'Move `recall.db` away, and add the documents again.',
      });
    });

    it('says that an archive is damaged', async () => {
      const place = join(folder, 'other');
      await (await openRecall({ storage: place })).close();
      for (const name of ['recall.db-wal', 'recall.db-shm']) await rm(join(place, name), { force: true });
      await writeFile(join(place, 'recall.db'), 'not a database at all, but some text'.repeat(100));
      await expect(openRecall({ storage: place })).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    });
  });
});
