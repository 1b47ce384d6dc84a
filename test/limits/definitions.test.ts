import { describe, expect, it } from 'vitest';
import type { HistoryLimits } from '../../src/contract/index.ts';
import type { IsolationLimits, Limits, WorkspaceLimits } from '../../src/index.ts';
import {
  checkEnvironment,
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  resolveHistoryLimits,
  resolveIsolationLimits,
  resolveLimits,
  resolveWorkspaceLimits,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../../src/limits/index.ts';

const OF_WORKSPACES = {
  maxWorkspaceBytes: true,
  maxWorkspaceFiles: true,
  maxUserBytes: true,
  resultDays: true,
  maxListedEntries: true,
  maxWalkedEntries: true,
  maxMatches: true,
  maxSearchMilliseconds: true,
  previewTokens: true,
} satisfies Record<keyof WorkspaceLimits, true>;

const OF_HISTORIES = {
  historyMaxTokens: true,
  historyTargetTokens: true,
  summarizerInputMaxTokens: true,
} satisfies Record<keyof HistoryLimits, true>;

const OF_READS = {
  maxTokensPerFile: true,
  maxTotalOutput: true,
  maxLines: true,
  maxLineLength: true,
  maxColumns: true,
  rowsHead: true,
  rowsTail: true,
  maxCellLength: true,
  maxSheets: true,
  maxNestingDepth: true,
  maxArrayItems: true,
  maxObjectKeys: true,
  maxStringValueLength: true,
  maxImageBytes: true,
  maxImageEdge: true,
  maxAudioBytes: true,
  maxAudioSeconds: true,
  audioHeadSeconds: true,
  audioTailSeconds: true,
  maxEntries: true,
  maxBytesInMemory: true,
  maxAnswerBytes: true,
  maxStreamBytes: true,
  remoteWindowBytes: true,
  maxInflatedBytes: true,
  maxInflateRatio: true,
  maxTreeBytes: true,
  maxImagePixels: true,
  maxPageMilliseconds: true,
} satisfies Record<keyof Limits, true>;

const OF_ISOLATION = {
  maxReadMilliseconds: true,
  maxProcessBytes: true,
  maxProcesses: true,
  maxQueuedReads: true,
} satisfies Record<keyof IsolationLimits, true>;

describe('limits', () => {
  it('define every limit of a read, a workspace, a history and isolation', () => {
    expect(Object.keys(resolveLimits()).sort()).toEqual(Object.keys(OF_READS).sort());
    expect(Object.keys(resolveWorkspaceLimits()).sort()).toEqual(Object.keys(OF_WORKSPACES).sort());
    expect(Object.keys(resolveHistoryLimits()).sort()).toEqual(Object.keys(OF_HISTORIES).sort());
    expect(Object.keys(resolveIsolationLimits()).sort()).toEqual(Object.keys(OF_ISOLATION).sort());
  });

  it('have variables and flags of their own', () => {
    const all = [
      ...LIMIT_DEFINITIONS,
      ...WORKSPACE_LIMIT_DEFINITIONS,
      ...HISTORY_LIMIT_DEFINITIONS,
      ...ISOLATION_LIMIT_DEFINITIONS,
    ];
    for (const name of ['variable', 'flag', 'key'] as const)
      expect(new Set(all.map((definition) => definition[name])).size).toBe(all.length);
  });

  it('come from overrides, then the environment, then their defaults', () => {
    expect(resolveWorkspaceLimits({ maxMatches: 7 }, { LECTERN_MAX_MATCHES: '8' }).maxMatches).toBe(7);
    expect(resolveWorkspaceLimits({}, { LECTERN_MAX_MATCHES: '8' }).maxMatches).toBe(8);
    expect(resolveWorkspaceLimits({}, { LECTERN_MAX_MATCHES: '' }).maxMatches).toBe(100);
    const variable = { HISTORY_COMPACTION_MAX_TOKENS: '9' };
    expect(resolveHistoryLimits({ historyMaxTokens: 7 }, variable).historyMaxTokens).toBe(7);
    expect(resolveHistoryLimits({}, variable).historyMaxTokens).toBe(9);
    expect(() => resolveWorkspaceLimits({ maxMatches: -1 })).toThrow('`maxMatches`');
  });
});

describe('variables of the environment', () => {
  const seed = LIMIT_DEFINITIONS.find(({ key }) => key === 'maxLines');

  it('have a prefix, and names without one only as aliases of lower rank', () => {
    for (const { variable } of [...LIMIT_DEFINITIONS, ...WORKSPACE_LIMIT_DEFINITIONS])
      expect(variable).toMatch(/^LECTERN_[A-Z_]+$/);
    expect(seed?.alias).toBe('MAX_LINES');
    expect(resolveLimits({}, { MAX_LINES: '3' }).maxLines).toBe(3);
    expect(resolveLimits({}, { MAX_LINES: '3', LECTERN_MAX_LINES: '4' }).maxLines).toBe(4);
    expect(resolveLimits({}, { MAX_LINES: '3', LECTERN_MAX_LINES: '' }).maxLines).toBe(3);
    expect(resolveLimits({}, { MAX_ENTRIES: '3' }).maxEntries).toBe(200);
  });

  it('that are malformed are reported once and ignored by the library', async () => {
    const warnings: Error[] = [];
    const heard = (warning: Error): void => {
      if (warning.name === 'LecternWarning') warnings.push(warning);
    };
    process.on('warning', heard);
    for (let i = 0; i < 3; i += 1)
      expect(resolveWorkspaceLimits({}, { LECTERN_MAX_MATCHES: 'many' }).maxMatches).toBe(100);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', heard);
    expect(warnings.map(({ message }) => message)).toEqual([
      '`LECTERN_MAX_MATCHES` is `many`; expected an integer of 0 or more. The default is used.',
    ]);
  });

  it('that are malformed can be refused', () => {
    expect(() => checkEnvironment(LIMIT_DEFINITIONS, { LECTERN_MAX_LINES: 'all' })).toThrow(
      '`LECTERN_MAX_LINES`',
    );
    expect(() => checkEnvironment(LIMIT_DEFINITIONS, { LECTERN_MAX_MATCHES: 'x' })).not.toThrow();
  });

  it('are named as they were set', () => {
    const [alias, both] = [{ MAX_LINES: 'all' }, { MAX_LINES: '3', LECTERN_MAX_LINES: 'all' }];
    expect(() => checkEnvironment(LIMIT_DEFINITIONS, alias)).toThrow(/^`MAX_LINES` is `all`/);
    expect(() => checkEnvironment(LIMIT_DEFINITIONS, both)).toThrow(/^`LECTERN_MAX_LINES` is `all`/);
  });
});
