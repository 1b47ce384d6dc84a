// Random sequences of everything a workspace does, with changes behind its back, held against a model in memory: after each
// step the disk is as the model says, and no answer shows or changes what lies outside.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createReader,
  createWorkspace,
  HTTP_STATUS,
  type Reader,
  ReaderError,
  type Workspace,
  type WorkspaceLimits,
} from '../../src/index.ts';
import { calm, SECRET, type Step, wild } from '../support/model-steps.ts';
import {
  below,
  inModel,
  ModelTree,
  type Node,
  newFolder,
  onDisk,
  Refused,
  sha256Of,
  shown,
} from '../support/model-tree.ts';

/** Sequences of each property; set for a long run by hand. */
const RUNS = Number(process.env['MODEL_RUNS'] ?? 20);
const BYTES = 400;
const FILES = 12;

let steps = 0;

/** One workspace and what it should hold. */
interface Party {
  readonly workspace: Workspace;
  readonly reader: Reader;
  readonly root: string;
  model: ModelTree;
}

class Arena {
  readonly base: string = mkdtempSync(join(tmpdir(), 'lectern-model-'));
  readonly #parties: readonly Party[];
  readonly #quota: boolean;

  constructor(stored: boolean, limits: Partial<WorkspaceLimits> | undefined) {
    this.#quota = limits !== undefined;
    mkdirSync(join(this.base, 'outside'));
    writeFileSync(join(this.base, 'outside/marker'), `${SECRET}\n`);
    const party = (root: string, workspace: Workspace): Party => ({
      root,
      workspace,
      reader: createReader({ workspace, environment: {}, cache: false }),
      model: new ModelTree(),
    });
    const options = { environment: {}, limits: { previewTokens: 50, ...limits } };
    const dataDir = join(this.base, 'data');
    this.#parties = stored
      ? [
          ['u', 's'],
          ['u', 't'],
          ['v', 's'],
        ].map(([user = '', session = '']) =>
          party(
            join(dataDir, 'workspaces', user, session),
            createWorkspace({ dataDir, user, session }, options),
          ),
        )
      : ['one', 'two'].map((name) => {
          mkdirSync(join(this.base, name));
          return party(join(this.base, name), createWorkspace({ root: join(this.base, name) }, options));
        });
  }

  async run(sequence: readonly Step[]): Promise<void> {
    for (const step of sequence) {
      const party = this.#parties[step.who % this.#parties.length];
      if (!party) throw new Error('nobody');
      steps += 1;
      await this.#step(party, step);
      this.#look();
    }
    const open = readdirSync('/proc/self/fd').flatMap((descriptor) => {
      try {
        const held = readlinkSync(`/proc/self/fd/${descriptor}`);
        return held.startsWith(this.base) ? [held] : [];
      } catch {
        return [];
      }
    });
    expect(open).toEqual([]);
  }

  end(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  /** The disk is as the models say: nothing half written, nothing of another, nothing outside. */
  #look(): void {
    for (const { root, model } of this.#parties)
      expect(existsSync(root) ? onDisk(Buffer.from(root)) : []).toEqual(inModel(model));
    expect(onDisk(Buffer.from(join(this.base, 'outside')))).toEqual([`marker file ${SECRET}\n`]);
    const known = ['data', 'one', 'outside', 'two'];
    expect(readdirSync(this.base).filter((name) => !known.includes(name))).toEqual([]);
    if (this.#quota)
      for (const { model } of this.#parties) {
        expect(model.usage.bytes).toBeLessThanOrEqual(BYTES);
        expect(model.usage.files).toBeLessThanOrEqual(FILES);
      }
  }

  /** What an operation gives; undefined for an error it may end in. */
  async #answer<T>(work: () => Promise<T>): Promise<{ readonly value: T } | { readonly error: ReaderError }> {
    try {
      const value = await work();
      this.#clean(JSON.stringify(value) ?? '');
      return { value };
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      expect(Object.keys(HTTP_STATUS)).toContain(error.code);
      expect(error.code, error.message).not.toBe('INTERNAL');
      expect(error.hint).not.toBe('');
      this.#clean(`${error.message} ${error.hint}`);
      return { error };
    }
  }

  #clean(text: string): void {
    expect(text).not.toContain(this.base);
    expect(text).not.toContain('/proc/');
    expect(text).not.toContain(`${SECRET}\\n`);
    expect(text).not.toContain('.lectern-');
  }

  /** Does it for real and in the model: both or neither. */
  async #both<T>(
    party: Party,
    real: () => Promise<T>,
    ideal: (model: ModelTree) => void,
  ): Promise<T | undefined> {
    const next = party.model.copy();
    let refused: Refused | undefined;
    try {
      ideal(next);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused = error;
    }
    const { bytes, files } = next.usage;
    const before = party.model.usage;
    const over =
      this.#quota && ((bytes > BYTES && bytes > before.bytes) || (files > FILES && files > before.files));
    const answer = await this.#answer(real);
    if ('error' in answer) {
      if (!refused && !over) throw answer.error;
      if (refused?.outside) expect(answer.error.code).toBe('PATH_ESCAPES_WORKSPACE');
      else if (refused === undefined) expect(answer.error.code).toBe('QUOTA_EXCEEDED');
      return undefined;
    }
    expect(refused ?? (over ? 'over the quota' : undefined)).toBeUndefined();
    party.model = next;
    return answer.value;
  }

  async #step(party: Party, step: Step): Promise<void> {
    const { workspace, reader } = party;
    switch (step.op) {
      case 'write': {
        const content = contentOf(step.size);
        const sha256 = step.sha === 'none' ? undefined : shaAt(party.model, step.path, step.sha === 'right');
        const written = await this.#both(
          party,
          () =>
            workspace.write(step.path, content, {
              overwrite: step.overwrite,
              ...(sha256 !== undefined && { ifSha256: sha256 }),
            }),
          (model) =>
            model.write(step.path, content, {
              overwrite: step.overwrite,
              ...(sha256 !== undefined && { sha256 }),
            }),
        );
        if (written) expect(written).toMatchObject({ bytes: content.length, sha256: sha256Of(content) });
        return;
      }
      case 'remove':
        await this.#both(
          party,
          () => workspace.remove(step.path, { recursive: step.recursive }),
          (model) => model.remove(step.path, step.recursive),
        );
        return;
      case 'move':
        await this.#both(
          party,
          () => workspace.move(step.path, step.to, { overwrite: step.overwrite }),
          (model) => model.move(step.path, step.to, step.overwrite),
        );
        return;
      case 'stat': {
        if (!existsSync(party.root)) return; // a stored workspace that nobody has written to has no facts
        let node: Node | undefined;
        const facts = await this.#both(
          party,
          () => workspace.stat(step.path),
          (model) => {
            node = model.get(step.path);
          },
        );
        if (facts)
          expect(facts).toMatchObject({
            kind: node?.kind,
            ...(node?.kind === 'file' && { bytes: node.content.length }),
          });
        return;
      }
      case 'read': {
        const answer = await reader.read(step.path);
        this.#clean(JSON.stringify(answer));
        const node = nodeAt(party.model, step.path);
        expect(answer.success).toBe(node?.kind === 'file');
        if (answer.success && node?.kind === 'file') expect(answer.text).toContain(node.content.trimEnd());
        return;
      }
      case 'list':
      case 'glob':
      case 'search':
        return this.#walk(party, step);
      case 'save': {
        const rows = Array.from({ length: step.rows }, (_, n) => ({ n, word: `w${n}` }));
        const given = step.name.endsWith('.txt') ? contentOf(step.rows) : rows;
        const answer = await this.#answer(() =>
          workspace.saveResult(given, { name: step.name, overwrite: step.overwrite }),
        );
        if ('error' in answer) return; // nothing has changed: that is looked at after every step
        const saved = answer.value;
        const place = party.model.place(saved.path, { follow: true, make: true });
        expect(place.node === undefined || (step.overwrite && place.node.kind === 'file')).toBe(true);
        expect(saved.replaced).toBe(place.node !== undefined);
        const host = onDisk(Buffer.from(party.root));
        const found = host.filter(
          (line) =>
            line.includes(' file ') && sha256Of(line.slice(line.indexOf(' file ') + 6)) === saved.sha256,
        );
        const content = found[0]?.slice(found[0].indexOf(' file ') + 6);
        expect(content).toHaveLength(saved.bytes);
        party.model.write(saved.path, content ?? '', { overwrite: step.overwrite });
        return;
      }
      default:
        changeBehind(party, step, join(this.base, 'outside'));
    }
  }

  async #walk(party: Party, step: Extract<Step, { readonly op: 'list' | 'glob' | 'search' }>): Promise<void> {
    const { workspace, model } = party;
    const paging = step.limit === undefined ? {} : { limit: step.limit };
    const walk = async <T>(
      page: (cursor: {
        readonly cursor?: string;
      }) => Promise<{ readonly next: string | null; readonly found: readonly T[] }>,
    ): Promise<T[]> => {
      const all: T[] = [];
      let cursor: { readonly cursor?: string } = {};
      for (let pages = 0; pages < 500; pages += 1) {
        const { next, found } = await page(cursor);
        if (step.limit !== undefined) expect(found.length).toBeLessThanOrEqual(step.limit);
        all.push(...found);
        if (next === null) return all;
        cursor = { cursor: next };
      }
      throw new Error('The cursor does not end.');
    };
    if (step.op === 'list') {
      const node = nodeAt(model, step.path);
      const answer = await this.#answer(() =>
        walk(async (cursor) => {
          const { entries, next, total } = await workspace.list(step.path, {
            depth: step.depth,
            ...paging,
            ...cursor,
          });
          if (node?.kind === 'directory') expect(total).toBe(below(node, step.depth).length);
          return { found: entries, next };
        }),
      );
      expect('value' in answer).toBe(node?.kind === 'directory');
      if (!('value' in answer) || node?.kind !== 'directory') return;
      const prefix = pathOf(model, step.path);
      expect(answer.value.map(({ path: at, kind }) => `${kind} ${at}`)).toEqual(
        below(node, step.depth).map(
          ({ key, node: one }) => `${one.kind} ${prefix}${key.split('/').map(shown).join('/')}`,
        ),
      );
      for (const entry of answer.value)
        if (entry.kind === 'link') expect(entry.leadsTo).toBe(nodeAt(model, entry.path)?.kind);
      return;
    }
    if (step.op === 'glob') {
      const found = await walk(async (cursor) => {
        const { entries, next } = await workspace.glob(step.pattern, { ...paging, ...cursor });
        this.#clean(JSON.stringify(entries));
        return { found: entries.map((entry) => entry.path), next };
      });
      const wanted = below(model.root)
        .filter(
          ({ key, node }) => (node.kind === 'file' || node.kind === 'link') && globbed(step.pattern, key),
        )
        .map(({ key }) => key.split('/').map(shown).join('/'));
      expect(found).toEqual(wanted);
      return;
    }
    const node = nodeAt(model, step.path);
    const answer = await this.#answer(() =>
      walk(async (cursor) => {
        const { matches, next } = await workspace.search(step.word, {
          path: step.path,
          ...paging,
          ...cursor,
        });
        return { found: matches, next };
      }),
    );
    expect('value' in answer).toBe(node?.kind === 'directory' || node?.kind === 'file');
    if (!('value' in answer)) return;
    const prefix = pathOf(model, step.path);
    const files = node?.kind === 'directory' ? below(node) : node ? [{ key: '', node }] : [];
    const wanted = files.flatMap(({ key, node: one }) =>
      one.kind === 'file'
        ? one.content
            .split('\n')
            .flatMap((line, at) =>
              line.includes(step.word)
                ? [
                    `${key === '' ? prefix.slice(0, -1) : prefix + key.split('/').map(shown).join('/')}:${at + 1}:${line}`,
                  ]
                : [],
            )
        : [],
    );
    expect(answer.value.map((match) => `${match.path}:${match.line}:${match.text}`)).toEqual(wanted);
  }
}

const contentOf = (size: number): string =>
  Array.from({ length: size % 30 }, (_, n) => `w${n % 4}\n`).join('');

function nodeAt(model: ModelTree, at: string): Node | undefined {
  try {
    return model.get(at);
  } catch {
    return undefined;
  }
}

/** The path that entries below it are shown with. */
function pathOf(model: ModelTree, at: string): string {
  const names: string[] = [];
  for (const name of model.names(at)) {
    const { name: real } = model.place([...names, name].join('/'), { follow: false });
    names.push(real === undefined ? name : shown(real));
  }
  return names.map((name) => `${name}/`).join('');
}

function shaAt(model: ModelTree, at: string, right: boolean): string {
  const node = nodeAt(model, at);
  return sha256Of(right && node?.kind === 'file' ? node.content : 'something else');
}

/** The slow way: each pattern of the test by hand. */
function globbed(pattern: string, key: string): boolean {
  const names = Buffer.from(key, 'latin1').toString('utf8').split('/');
  const name = names.at(-1) ?? '';
  switch (pattern) {
    case '**':
    case '*':
      return true;
    case '*.txt':
      return name.endsWith('.txt');
    case 'a/**':
      return names.length > 1 && names[0] === 'a';
    case '**/b':
      return name === 'b';
    case 'a/*':
    case '/workspace/a/*':
      return names.length === 2 && names[0] === 'a';
    case '{a,b}':
      return name === 'a' || name === 'b';
    default:
      return /^[ab]/.test(name);
  }
}

/** What a sandbox or a person does to the folder of a workspace. Never through a link, where the model would not follow. */
function changeBehind(party: Party, step: Extract<Step, { readonly op: string }>, outside: string): void {
  if (!existsSync(party.root)) return;
  const { model } = party;
  if (step.op === 'odd') {
    const name = Buffer.from([0x6e, 0xff]);
    if (model.root.names.has(name.toString('latin1'))) return;
    writeFileSync(Buffer.concat([Buffer.from(`${party.root}/`), name]), 'w1\n');
    model.root.names.set(name.toString('latin1'), { kind: 'file', content: 'w1\n' });
    return;
  }
  if (!('path' in step)) return;
  const free = spot(party, step.path);
  if (!free) return;
  const { host, folder, name } = free;
  const node = folder.names.get(name);
  switch (step.op) {
    case 'gone':
      if (node) rmSync(host, { recursive: true });
      folder.names.delete(name);
      return;
    case 'mode':
      if (node?.kind === 'file' && process.getuid?.() === 0) chmodSync(host, step.mode);
      return;
    case 'second': {
      const to = spot(party, step.to);
      if (node?.kind !== 'file' || !to || to.folder.names.has(to.name)) return;
      linkSync(host, to.host);
      to.folder.names.set(to.name, node);
      return;
    }
    default:
  }
  if (node) return;
  if (step.op === 'link') {
    const target = step.target === 'OUTSIDE' ? outside : step.target;
    symlinkSync(target, host);
    folder.names.set(name, { kind: 'link', target });
  } else if (step.op === 'folder') {
    mkdirSync(host);
    folder.names.set(name, newFolder());
  } else if (step.op === 'file') {
    writeFileSync(host, 'w2 w1\nother\n');
    folder.names.set(name, { kind: 'file', content: 'w2 w1\nother\n' });
  } else if (step.op === 'pipe') {
    execFileSync('mkfifo', [host]);
    folder.names.set(name, { kind: 'other' });
  }
}

/** A name in a folder that real folders lead to, spelled as it is. */
function spot(
  party: Party,
  at: string,
):
  | { readonly host: string; readonly folder: ReturnType<typeof newFolder>; readonly name: string }
  | undefined {
  if (at.includes('..') || at.startsWith('/') || at.includes('./') || at === '') return undefined;
  let folder = party.model.root;
  const names = at.split('/');
  for (const name of names.slice(0, -1)) {
    const node = folder.names.get(Buffer.from(name).toString('latin1'));
    if (node?.kind !== 'directory') return undefined;
    folder = node;
  }
  const host = join(party.root, at);
  if (!lstatSync(join(host, '..')).isDirectory()) return undefined;
  return { host, folder, name: Buffer.from(names.at(-1) ?? '').toString('latin1') };
}

async function holds(
  arbitrary: fc.Arbitrary<Step[]>,
  stored: boolean,
  limits: Partial<WorkspaceLimits> | undefined,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(arbitrary, async (sequence) => {
      const arena = new Arena(stored, limits);
      try {
        await arena.run(sequence);
      } finally {
        arena.end();
      }
    }),
    { numRuns: RUNS },
  );
  if (process.env['MODEL_RUNS'] !== undefined) process.stdout.write(`${steps} operations\n`);
}

const LIMITS = { maxWorkspaceBytes: BYTES, maxWorkspaceFiles: FILES };

describe('a workspace does what a model of it does', { timeout: RUNS > 100 ? 3_600_000 : 120_000 }, () => {
  it.each([
    ['in a plain folder', false],
    ['in stored sessions of two users', true],
  ])('%s, with changes behind its back', (_, stored) =>
    holds(fc.array(wild, { minLength: 10, maxLength: 60 }), stored, undefined),
  );

  it.each([
    ['in a plain folder', false],
    ['in stored sessions of two users', true],
  ])('%s, within a quota', (_, stored) =>
    holds(fc.array(calm, { minLength: 10, maxLength: 60 }), stored, LIMITS),
  );
});
