// Every operation of a workspace while another process swaps a folder for a link, as fast as it can.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReader, createWorkspace } from '../../../src/index.ts';
import { draws } from '../../support/draws.ts';
import { attack, contestantOf, createArena, OPERATIONS, type Outcome, VARIANTS } from './arena.mjs';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

/** Of each operation against each kind of swap: in sum about a second an operation. */
const MILLISECONDS = draws(150, 60);

const canAttack = process.platform === 'linux' && hasPython();
if (!canAttack) process.stderr.write('No attack on workspaces: it needs Linux and python3.\n');

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import ctypes']);
    return true;
  } catch {
    return false;
  }
}

let base = '';
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-race-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

if (canAttack)
  describe('under attack', () => {
    it.each(OPERATIONS)('$name tells and changes nothing outside', async (operation) => {
      const outcomes: Outcome[] = [];
      for (const variant of VARIANTS) {
        const folder = join(base, `${operation.name}-${variant.name}`);
        mkdirSync(folder);
        // Were a link to the mount followed as it is, it would lead outside.
        const mount = variant.name === 'mounted' ? join(folder, 'outside') : '/workspace';
        const arena = createArena(folder, variant, mount);
        const workspace = createWorkspace({ root: arena.root }, { mount });
        const reader = createReader({ workspace, cache: false });
        const contestant = contestantOf(workspace, reader);
        try {
          outcomes.push(await attack(contestant, operation, arena, variant.folder, MILLISECONDS));
        } finally {
          arena.close();
        }
        expect(openBelow(folder)).toEqual([]);
      }
      const sum = (count: (outcome: Outcome) => number) =>
        outcomes.reduce((total, outcome) => total + count(outcome), 0);
      expect(sum(({ leaked }) => leaked)).toBe(0);
      expect(outcomes.map(({ told }) => told).filter(Boolean)).toEqual([]);
      expect(sum(({ codes }) => codes['INTERNAL'] ?? 0)).toBe(0);
      // What never reads, and what is never attacked, proves nothing.
      expect(sum(({ good }) => good)).toBeGreaterThan(0);
      expect(Math.min(...outcomes.map(({ swaps }) => swaps))).toBeGreaterThan(0);
    });
  });
