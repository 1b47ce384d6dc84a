// What a compactor keeps from call to call, as far as a compaction reads it or adds to it.

import type { Archive } from './archive/archive.ts';
import type { ArrivedTexts } from './archive/arrived-texts.ts';
import type { KnownPointers } from './archive/known-pointers.ts';
import type { Calibration } from './cost/calibration.ts';
import type { Estimator } from './cost/estimate.ts';
import type { Resolved } from './options.ts';
import type { Breaker } from './summary/breaker.ts';
import type { DigestData } from './summary/digest.ts';

export interface Lasting<M> {
  readonly options: Resolved<M>;
  readonly archive: Archive;
  readonly pointers: KnownPointers;
  /** Of the format that is followed. */
  estimator: Estimator;
  readonly calibration: Calibration;
  readonly breaker: Breaker;
  readonly arrived: ArrivedTexts;
  /** Facts of all that was dropped so far. */
  digest: DigestData | null;
}
