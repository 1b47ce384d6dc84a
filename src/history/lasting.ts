// State a compactor keeps between calls, limited to what a compaction reads or updates.

import type { Archive } from './archive/archive.ts';
import type { OwnTexts } from './archive/own-texts.ts';
import type { Calibration } from './cost/calibration.ts';
import type { Estimator } from './cost/estimate.ts';
import type { Resolved } from './options.ts';
import type { DigestData } from './summary/digest.ts';

export interface Lasting<M> {
  readonly options: Resolved<M>;
  readonly archive: Archive;
  /** Texts that tiers 1 and 2 wrote. */
  readonly own: OwnTexts;
  /** Pointers to originals that were archived since the last report. */
  readonly fresh: string[];
  /** For the current message format. */
  estimator: Estimator;
  readonly calibration: Calibration;
  /** Facts about everything dropped so far. */
  digest: DigestData | null;
}
