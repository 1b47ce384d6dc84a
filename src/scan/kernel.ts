// Opens a kernel: memory for a scan and the four passes over it.

import { scanJson, scanLines, scanRecords, scanXml } from './scalar.ts';
import { hasSimd, simdKernel } from './simd.ts';
import { STATE_SLOTS } from './state.ts';

/** The passes. */
export type Pass = 'lines' | 'records' | 'json' | 'xml';

/** Memory and passes for one scan at a time: not to be shared by two that await in between. */
export interface Kernel {
  readonly simd: boolean;
  /** Where the input bytes go, from index 1 on: a run may overwrite the byte before `from`. */
  readonly input: Uint8Array<ArrayBuffer>;
  /** The pass's state, by the slots of `state.ts`: set before a run, read after it. */
  readonly state: Float64Array;
  /**
   * Advances the state over `input[from, to)`.
   * @returns for JSON and XML the index just past the end of the container, else -1
   */
  run(pass: Pass, from: number, to: number): number;
}

/** Input bytes of a kernel: two pieces of 1 MiB, so that one is read while the other is scanned. */
export const INPUT_BYTES: number = 2 * 1024 * 1024 + 256;

/** The passes in plain TypeScript. */
export function scalarKernel(): Kernel {
  const input = new Uint8Array(INPUT_BYTES);
  const state = new Float64Array(STATE_SLOTS);
  return { simd: false, input, state, run: (pass, from, to) => seek(input, pass, state, from, to) };
}

/**
 * Runs a pass on any bytes, until it has counted `until` units or reached the end of the container; -1 if neither
 * happens.
 */
export function seek(
  bytes: Uint8Array,
  pass: Pass,
  state: Float64Array,
  from: number,
  to: number,
  until?: number,
): number {
  switch (pass) {
    case 'lines':
      return scanLines(bytes, state, from, to, until);
    case 'records':
      return scanRecords(bytes, state, from, to, until);
    case 'json':
      return scanJson(bytes, state, from, to, until);
    case 'xml':
      return scanXml(bytes, state, from, to, until);
  }
}

let simd: boolean | undefined;

/** The fastest kernel available on this machine. */
export function openKernel(): Kernel {
  simd ??= hasSimd();
  if (!simd) return scalarKernel();
  try {
    return simdKernel(INPUT_BYTES);
  } catch {
    // Each memory reserves gigabytes of address space, which a limited process may not have.
    return scalarKernel();
  }
}

const MAX_IDLE = 4;
const idle: Kernel[] = [];
let shared: Kernel | undefined;

/** Runs `work` with a kernel of its own. Do not use the kernel after `work` settles. */
export async function withKernel<T>(work: (kernel: Kernel) => Promise<T>): Promise<T> {
  const kernel = idle.pop() ?? openKernel();
  try {
    return await work(kernel);
  } finally {
    if (idle.length < MAX_IDLE) idle.push(kernel);
  }
}

/** One kernel for all work that does not await between writing its input and reading its state. */
export function sharedKernel(): Kernel {
  shared ??= openKernel();
  return shared;
}
