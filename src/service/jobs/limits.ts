// Limits of jobs.

import type { LimitDefinition } from '../../limits/index.ts';

export interface JobLimits {
  readonly maxJobsPerUser: number;
  readonly maxItemsPerJob: number;
  readonly maxBytesPerJob: number;
  readonly maxJobBytesPerUser: number;
  readonly jobKeepSeconds: number;
  readonly maxJobKeepSeconds: number;
  readonly jobAttempts: number;
  readonly jobLeaseMilliseconds: number;
  readonly jobWorkers: number;
}

const GIB = 1024 ** 3;
const DAY = 24 * 60 * 60;

export const JOB_LIMIT_DEFINITIONS: readonly LimitDefinition<keyof JobLimits>[] = [
  {
    key: 'maxJobsPerUser',
    variable: 'LECTERN_MAX_JOBS_PER_USER',
    flag: 'max-jobs-per-user',
    default: 1000,
    unit: 'jobs',
    kind: 'quota',
    meaning: 'jobs kept per user, including finished ones',
  },
  {
    key: 'maxItemsPerJob',
    variable: 'LECTERN_MAX_ITEMS_PER_JOB',
    flag: 'max-items-per-job',
    default: 1000,
    unit: 'files',
    kind: 'safety',
    meaning: 'files of one job',
  },
  {
    key: 'maxBytesPerJob',
    variable: 'LECTERN_MAX_BYTES_PER_JOB',
    flag: 'max-bytes-per-job',
    default: GIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'uploaded files of one job',
  },
  {
    key: 'maxJobBytesPerUser',
    variable: 'LECTERN_MAX_JOB_BYTES_PER_USER',
    flag: 'max-job-bytes-per-user',
    default: 10 * GIB,
    unit: 'bytes',
    kind: 'quota',
    meaning: 'uploaded files of all kept jobs of one user',
  },
  {
    key: 'jobKeepSeconds',
    variable: 'LECTERN_JOB_KEEP_SECONDS',
    flag: 'job-keep-seconds',
    default: DAY,
    unit: 'seconds',
    kind: 'quota',
    meaning: 'default time to keep a job and its results after it ends',
  },
  {
    key: 'maxJobKeepSeconds',
    variable: 'LECTERN_MAX_JOB_KEEP_SECONDS',
    flag: 'max-job-keep-seconds',
    default: 7 * DAY,
    unit: 'seconds',
    kind: 'quota',
    meaning: 'longest such time a request may set',
  },
  {
    key: 'jobAttempts',
    variable: 'LECTERN_JOB_ATTEMPTS',
    flag: 'job-attempts',
    default: 4,
    unit: 'attempts',
    kind: 'safety',
    meaning:
      'attempts for a file that times out, runs out of memory or crashes, before it becomes a dead letter',
  },
  {
    key: 'jobLeaseMilliseconds',
    variable: 'LECTERN_JOB_LEASE_MILLISECONDS',
    flag: 'job-lease-ms',
    default: 30_000,
    unit: 'milliseconds',
    kind: 'safety',
    meaning: 'time without a heartbeat before another worker takes over a file',
  },
  {
    key: 'jobWorkers',
    variable: 'LECTERN_JOB_WORKERS',
    flag: 'job-workers',
    default: 2,
    unit: 'files',
    kind: 'safety',
    meaning: 'files of jobs read concurrently',
  },
];
