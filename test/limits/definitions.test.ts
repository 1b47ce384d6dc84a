import { describe, expect, it } from 'vitest';
import {
  HISTORY_LIMIT_DEFINITIONS,
  type HistoryLimits,
  ISOLATION_LIMIT_DEFINITIONS,
  type IsolationLimits,
  LIMIT_DEFINITIONS,
  type Limits,
  resolveHistoryLimits,
  resolveIsolationLimits,
  resolveLimits,
  resolveWorkspaceLimits,
  WORKSPACE_LIMIT_DEFINITIONS,
  type WorkspaceLimits,
} from '../../src/index.ts';

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
    expect(resolveWorkspaceLimits({ maxMatches: 7 }, { MAX_MATCHES: '8' }).maxMatches).toBe(7);
    expect(resolveWorkspaceLimits({}, { MAX_MATCHES: '8' }).maxMatches).toBe(8);
    expect(resolveWorkspaceLimits({}, { MAX_MATCHES: '' }).maxMatches).toBe(100);
    const variable = { HISTORY_COMPACTION_MAX_TOKENS: '9' };
    expect(resolveHistoryLimits({ historyMaxTokens: 7 }, variable).historyMaxTokens).toBe(7);
    expect(resolveHistoryLimits({}, variable).historyMaxTokens).toBe(9);
    expect(() => resolveWorkspaceLimits({ maxMatches: -1 })).toThrow('`maxMatches`');
    expect(() => resolveWorkspaceLimits({}, { MAX_MATCHES: 'many' })).toThrow('`MAX_MATCHES`');
  });
});
