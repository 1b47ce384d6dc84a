// The interface of what turns a detected file into parts or outline lines: in this process (`local-converter.ts`) or in a
// child (`isolated/`). What a processor reported is one plain value.

import type {
  Budget,
  Bytes,
  Encoding,
  FormatFacts,
  OutlineLine,
  Part,
  Processor,
  ReaderError,
  Warning,
  Whole,
} from '../contract/index.ts';
import { createBudget } from './budget.ts';
import type { Cursor } from './cursor.ts';
import type { Detected } from './detect.ts';
import type { Engine } from './engine.ts';
import type { Named } from './enter.ts';
import type { ReadRequest } from './request.ts';
import type { Opened } from './source/open.ts';

/** What a processor has reported about a file so far. */
export interface Converted {
  /** The processor that read it: plain text if the first one could not parse it. */
  readonly processor: Processor;
  readonly warnings: readonly Warning[];
  /** In order of declaration. */
  readonly wholes: readonly Whole[];
  readonly facts: FormatFacts;
  readonly encoding?: Encoding;
  /** Bytes of the file as UTF-8, once decoded. */
  readonly textSize?: Bytes;
  /** Why the process reading the file ended after it had sent parts. */
  readonly interrupted?: ReaderError;
}

/** Converts one file, in this process or in a child. */
export interface Converter {
  /**
   * Parts that a processor fits to `budget`, with well-formed UTF-16 text. Discards what was reported for earlier
   * parts.
   * @throws {ReaderError}
   */
  parts(budget: Budget): AsyncIterable<Part>;
  /**
   * Lines of the outline; with `brief`, only those that are cheap to get. None if the format has no outline. @throws
   * {ReaderError}
   */
  lines(budget: Budget, brief?: boolean): AsyncIterable<OutlineLine>;
  converted(): Converted;
  /** Restarts the timeout of the answer: what was read so far has been handed on. */
  progressed(): void;
  /** Releases the process, if any. Idempotent. */
  end(): Promise<void>;
}

/** A file and what is asked of it. */
export interface Reading {
  readonly opened: Opened;
  readonly entered: Named;
  readonly detected: Omit<Detected, 'warnings'>;
  /** Includes the fields of its address, and those kept by its cursor. */
  readonly request: ReadRequest;
  readonly cursor: Cursor | undefined;
  readonly signal: AbortSignal;
}

/**
 * The parts of the whole file, each with its own timeout. @throws {ReaderError} also when its process ended between two
 * parts
 */
export async function* wholeOf(engine: Engine, converter: Converter): AsyncGenerator<Part> {
  for await (const part of converter.parts(createBudget(engine, Number.POSITIVE_INFINITY))) {
    yield part;
    converter.progressed();
  }
  const { interrupted } = converter.converted();
  if (interrupted) throw interrupted;
}
