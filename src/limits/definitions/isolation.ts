// Limits of child processes.

import type { IsolationLimits } from '../../contract/index.ts';
import { GIB, type LimitDefinition } from './definition.ts';

/** Limits of reading in child processes, in the order `lectern limits` prints them last. */
export const ISOLATION_LIMIT_DEFINITIONS: readonly LimitDefinition<keyof IsolationLimits>[] = [
  {
    key: 'maxReadMilliseconds',
    variable: 'LECTERN_MAX_READ_MILLISECONDS',
    flag: 'max-read-ms',
    default: 15_000,
    unit: 'milliseconds',
    kind: 'safety',
    meaning: 'time for one isolated read; then the answer contains what was read and a cursor',
  },
  {
    key: 'maxProcessBytes',
    variable: 'LECTERN_MAX_PROCESS_BYTES',
    flag: 'max-process-bytes',
    default: 2 * GIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'memory of one process that reads files; at least 512 MiB',
  },
  {
    key: 'maxProcesses',
    variable: 'LECTERN_MAX_PROCESSES',
    flag: 'max-processes',
    default: 0,
    unit: 'processes',
    kind: 'safety',
    meaning: 'concurrent isolated reads; 0 for one per core',
  },
  {
    key: 'maxQueuedReads',
    variable: 'LECTERN_MAX_QUEUED_READS',
    flag: 'max-queued-reads',
    default: 256,
    unit: 'reads',
    kind: 'safety',
    meaning: 'isolated reads waiting for a process; further reads fail with BUSY',
  },
];
