// The passes in WebAssembly SIMD: the module is compiled on first use, and each kernel is an instance with its own
// memory.

import { ReaderError } from '../contract/index.ts';
import { KERNEL_BASE64 } from './kernel.generated.ts';
import type { Kernel, Pass } from './kernel.ts';
import { RECORD, STATE_SLOTS } from './state.ts';

/** The state precedes it, at address 0; the kernel writes the byte before the piece it scans. */
const INPUT_ADDRESS = 256;

/** The kernel's exports; addresses in, an address or -1 out. */
type Exports = Record<Pass, (from: number, to: number) => number | undefined> & {
  readonly memory: { readonly buffer: ArrayBuffer };
};

interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
  validate(bytes: Uint8Array): boolean;
}

// The types of Node and of ES2023 do not declare it.
const { WebAssembly: wasm } = globalThis as { readonly WebAssembly?: Wasm };

const code = (): Uint8Array => Buffer.from(KERNEL_BASE64, 'base64');
let module: object | undefined;

/** True if WebAssembly with SIMD is available. */
export function hasSimd(): boolean {
  return wasm?.validate(code()) ?? false;
}

/** A kernel of `inputBytes`, at most 2 MiB and 64 KiB. Only call it if `hasSimd()`. */
export function simdKernel(inputBytes: number): Kernel {
  if (!wasm) throw new ReaderError('INTERNAL', 'WebAssembly is missing.', 'Report this as a defect.');
  module ??= new wasm.Module(code());
  // The module is built from src/scan/kernel, which exports these.
  const exports = new wasm.Instance(module).exports as unknown as Exports;
  const state = new Float64Array(exports.memory.buffer, 0, STATE_SLOTS);
  return {
    simd: true,
    input: new Uint8Array(exports.memory.buffer, INPUT_ADDRESS, inputBytes),
    state,
    run: (pass, from, to) => {
      const stopped = exports[pass](from + INPUT_ADDRESS, to + INPUT_ADDRESS) ?? -1;
      if (pass === 'records') {
        for (const slot of [RECORD.first, RECORD.last]) {
          const address = state[slot] ?? -1;
          if (address >= 0) state[slot] = address - INPUT_ADDRESS;
        }
      }
      return stopped < 0 ? -1 : stopped - INPUT_ADDRESS;
    },
  };
}
