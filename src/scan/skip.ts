// Runs a pass over a caller's bytes, piece by piece, through the shared kernel.

import { type Pass, seek, sharedKernel } from './kernel.ts';

/** What to skip; advances the state in place. */
export interface Skip {
  readonly pass: Pass;
  readonly state: Float64Array;
  readonly bytes: Uint8Array;
  readonly from: number;
}

const FIRST_STEP_BYTES = 512;
const MAX_STEP_BYTES = 64 * 1024;
const GAP_BYTES = 64;

/** @returns the index in `bytes` just past the end of the container, or -1 */
export function skip({ pass, state, bytes, from }: Skip): number {
  const kernel = sharedKernel();
  if (!kernel.simd) return seek(bytes, pass, state, from, bytes.length);
  kernel.state.set(state);
  let closed = -1;
  // Small steps first: most containers are small, and bytes after one should not be copied.
  for (let at = from, step = FIRST_STEP_BYTES; at < bytes.length; step = Math.min(step * 4, MAX_STEP_BYTES)) {
    const to = Math.min(bytes.length, at + step);
    kernel.input.set(bytes.subarray(at, to), GAP_BYTES);
    const stopped = kernel.run(pass, GAP_BYTES, GAP_BYTES + to - at);
    if (stopped >= 0) {
      closed = at + stopped - GAP_BYTES;
      break;
    }
    at = to;
  }
  state.set(kernel.state);
  return closed;
}
