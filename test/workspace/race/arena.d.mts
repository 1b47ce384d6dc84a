// The types of `arena.mjs`.

import type { Reader } from '../../../src/reader/reader.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';

export interface Variant {
  readonly name: string;
  readonly folder: string;
  readonly swap: readonly [string, string];
  readonly pipe?: true;
}

export const VARIANTS: readonly Variant[];

export interface Arena {
  readonly root: string;
  readonly outside: string;
  readonly swap: readonly [string, string];
  outsideChanged(): boolean;
  restore(): void;
  close(): void;
}

export function createArena(base: string, variant: Variant, mount?: string): Arena;

export interface Attacker {
  stop(): Promise<number>;
}

export function startAttacker(swap: readonly [string, string]): Promise<Attacker>;

export type Contestant = Readonly<Record<string, (...given: string[]) => Promise<unknown>>>;

export interface Operation {
  readonly name: string;
  readonly changes?: true;
  run(contestant: Contestant, folder: string, turn: number): Promise<unknown>;
}

export const OPERATIONS: readonly Operation[];

export interface Outcome {
  readonly good: number;
  readonly refused: number;
  readonly leaked: number;
  /** How often each error was the refusal. */
  readonly codes: Readonly<Record<string, number>>;
  /** A message that names the root's place on the host; empty when none did. */
  readonly told: string;
  readonly swaps: number;
}

export function attack(
  contestant: Contestant,
  operation: Operation,
  arena: Arena,
  folder: string,
  milliseconds: number,
): Promise<Outcome>;

export function contestantOf(workspace: Workspace, reader: Reader): Contestant;
