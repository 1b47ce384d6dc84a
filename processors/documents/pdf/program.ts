// The program of the pdf.js thread, and what V8 has compiled of it: compiling pdf.js anew takes longer than reading a
// page. Compiled code is kept where the process keeps such code (`compiledCode`), and nowhere else.

import { brotliDecompressSync } from 'node:zlib';
import { compiledCode } from '../../../src/contract/index.ts';
import { PROGRAM_HASH } from './packed/worker-hash.generated.ts';

/** What a thread is started with, as its `workerData`. */
export interface Program {
  readonly text: string;
  /** Code for `text`, made by this version of V8. */
  readonly code?: Uint8Array;
  /** Pages that had been read when `code` was made, for which V8 compiled what it contains. */
  readonly pages: number;
  /** True if this process keeps code. */
  readonly isKept: boolean;
}

/**
 * Runs the program in the thread, and leaves in `workerData` a function that returns what is compiled by then. V8 rejects
 * code that was made under other flags. Bun passes `require` to this text only; Node.js has it as a global.
 */
export const START = `
const { workerData } = require('node:worker_threads');
const { Script } = require('node:vm');
globalThis.require ??= require;
const script = new Script(workerData.text, { filename: 'pdf.js', cachedData: workerData.code });
if (script.cachedDataRejected) workerData.pages = 0;
if (workerData.isKept) workerData.compiled = () => script.createCachedData();
script.runInThisContext();
`;

const { arch, versions } = process;
const KEY = `${PROGRAM_HASH}-${arch}-${versions.v8}`.toLowerCase().replace(/[^a-z0-9.-]/g, '-');

/** Bytes before the code of an entry: the number of pages, and the length of the code. The text is behind the code. */
const HEAD_BYTES = 8;

let unpacked: string | undefined;

/** The program with the code that is kept for it, if any. */
export async function loadProgram(): Promise<Program> {
  const kept = compiledCode();
  const entry = await kept?.get(KEY);
  if (!entry) return { text: await unpackedText(), pages: 0, isKept: kept !== undefined };
  const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength);
  const end = HEAD_BYTES + bytes.readUInt32LE(4);
  const text = unpacked ?? bytes.toString('latin1', end);
  unpacked = text;
  return {
    text,
    code: bytes.subarray(HEAD_BYTES, end),
    pages: bytes.readUInt32LE(0),
    isKept: true,
  };
}

/** Keeps the code that a thread has made, after it had read `pages` pages. */
export async function keepProgram(code: Uint8Array, pages: number): Promise<void> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(pages, 0);
  head.writeUInt32LE(code.length, 4);
  await compiledCode()?.put(KEY, Buffer.concat([head, code, Buffer.from(await unpackedText(), 'latin1')]));
}

/** Packed as text in a module: bundlers leave files behind. */
async function unpackedText(): Promise<string> {
  if (unpacked !== undefined) return unpacked;
  const { PROGRAM } = await import('./packed/worker.generated.ts');
  unpacked = brotliDecompressSync(Buffer.from(PROGRAM, 'base64')).toString('latin1');
  return unpacked;
}
