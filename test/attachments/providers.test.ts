import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader, createTokenCounter, createWorkspace, prepareAttachments } from '../../src/index.ts';
import { createTools } from '../../src/tools/index.ts';
import { type AnyFile, makeAnyFiles, randomFrom } from '../support/any-file.ts';
import { type Trial, type TrialTools, tryAttachments } from '../support/attachment-trial.ts';
import { draws } from '../support/draws.ts';
import { RULED_TARGETS } from '../support/provider-rules/index.ts';

const FILES = draws(100, 40);
const SEED = Number(process.env['LECTERN_SEED'] ?? 1);

let folder: string;
let files: AnyFile[];
let tools: TrialTools;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-attachments-'));
  files = await makeAnyFiles(folder, { seed: SEED, count: FILES, maxBytes: 1_000_000 });
  const workspace = createWorkspace({ root: folder });
  const reader = createReader({ workspace, cache: false });
  const [readFile] = createTools({ reader, only: ['read_file'] });
  if (!readFile) throw new Error('no read_file');
  const counter = createTokenCounter();
  const hostReader = createReader({ cache: false });
  tools = {
    prepareAttachments,
    workspace,
    reader,
    hostReader,
    readFile,
    count: (text) => counter.count(text),
  };
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('any files, for every provider', () => {
  it.each(RULED_TARGETS.map((target, index) => [target.name, target, index] as const))(
    'are prepared within the rules of %s',
    async (_, target, index) => {
      const random = randomFrom(SEED * 100 + index);
      const found: string[] = [];
      // Each target has its own files, in requests of 1 to 12: the bench gives all files to all.
      const own = files.filter((_file, at) => at % RULED_TARGETS.length === index);
      for (let at = 0; at < own.length; ) {
        const size = 1 + Math.floor(random() * 12);
        const trial: Trial = {
          target,
          folder,
          files: own.slice(at, at + size),
          budget: Math.floor(10 ** (2 + random() * 3)),
          as: random() < 0.7 ? 'workspace paths' : random() < 0.5 ? 'host paths' : 'bytes',
        };
        at += size;
        const { outside, problems } = await tryAttachments(trial, tools);
        found.push(...[...outside, ...problems].map((problem) => `${trial.as}, ${trial.budget}: ${problem}`));
      }
      expect(found).toEqual([]);
    },
    120_000,
  );
});
