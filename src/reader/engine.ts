// The fixed dependencies of one reader, shared by all its calls.

import type { ConversionCache } from '../cache/index.ts';
import type { Files, Limits, Ocr, PictureDescriber } from '../contract/index.ts';
import type { Pool } from '../isolation/index.ts';
import type { Redactor } from '../redact/index.ts';
import type { TokenCounter } from '../tokens/index.ts';
import type { Registry } from './registry.ts';

export interface Engine {
  readonly registry: Registry;
  readonly limits: Limits;
  readonly counter: TokenCounter;
  readonly cache: ConversionCache | undefined;
  /** Resolves paths; undefined: the host's own files. */
  readonly files: Files | undefined;
  /** Reads the files; undefined: in this process. */
  readonly pool: Pool | undefined;
  /** User for fair scheduling when the pool is busy. */
  readonly user: string;
  /** Reads the text of pictures; undefined: nothing does. */
  readonly ocr: Ocr | undefined;
  /** Describes pictures; undefined: nothing does. */
  readonly describer: PictureDescriber | undefined;
  /** Opens protected files whose request has no password. */
  readonly password: string | undefined;
  /** Replaces secrets; undefined: they are shown. */
  readonly redactor: Redactor | undefined;
}
