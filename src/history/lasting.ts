// State a compactor keeps between calls, limited to what a compaction reads or updates.

import type { Archive } from './archive/archive.ts';
import type { Calibration } from './cost/calibration.ts';
import type { Estimator } from './cost/estimate.ts';
import type { Resolved } from './options.ts';
import type { DigestData } from './summary/digest.ts';

export interface Lasting<M> {
  readonly options: Resolved<M>;
  readonly archive: Archive;
  /** SHA-256 of what is left of results that were shortened at arrival; anyone may write a text that looks so. */
  readonly own: Set<string>;
  /** Pointers to originals that were archived since the last report. */
  readonly fresh: string[];
  /** For the current message format. */
  estimator: Estimator;
  readonly calibration: Calibration;
  /** Facts about everything dropped so far. */
  digest: DigestData | null;
}
