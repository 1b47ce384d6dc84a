// Limits of the service. Those of a read, a workspace and a conversation are the library's own.

import type { LimitDefinition } from '../limits/index.ts';
import { JOB_LIMIT_DEFINITIONS, type JobLimits } from './jobs/limits.ts';

export interface ServiceLimits extends JobLimits {
  readonly maxUploadBytes: number;
  readonly maxJsonBytes: number;
  readonly maxBodyMemory: number;
  readonly maxFilesPerRequest: number;
  readonly requestsPerMinute: number;
  readonly requestBurst: number;
  readonly maxConnections: number;
  readonly drainMilliseconds: number;
}

const MIB = 1024 * 1024;

export const SERVICE_LIMIT_DEFINITIONS: readonly LimitDefinition<keyof ServiceLimits>[] = [
  {
    key: 'maxUploadBytes',
    variable: 'LECTERN_MAX_UPLOAD_BYTES',
    flag: 'max-upload-bytes',
    default: 1024 * MIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'body of one request with files',
  },
  {
    key: 'maxJsonBytes',
    variable: 'LECTERN_MAX_JSON_BYTES',
    flag: 'max-json-bytes',
    default: 32 * MIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'JSON body of one request, held in memory',
  },
  {
    key: 'maxBodyMemory',
    variable: 'LECTERN_MAX_BODY_MEMORY',
    flag: 'max-body-memory',
    default: 256 * MIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'request bodies in memory, in total; further uploads are stored on disk',
  },
  {
    key: 'maxFilesPerRequest',
    variable: 'LECTERN_MAX_FILES_PER_REQUEST',
    flag: 'max-files-per-request',
    default: 20,
    unit: 'files',
    kind: 'safety',
    meaning: 'files of one synchronous request; a job accepts more',
  },
  {
    key: 'requestsPerMinute',
    variable: 'LECTERN_REQUESTS_PER_MINUTE',
    flag: 'requests-per-minute',
    default: 6000,
    unit: 'requests',
    kind: 'quota',
    meaning: 'requests per minute of a key, and of a user over all keys',
  },
  {
    key: 'requestBurst',
    variable: 'LECTERN_REQUEST_BURST',
    flag: 'request-burst',
    default: 200,
    unit: 'requests',
    kind: 'quota',
    meaning: 'burst of requests before the rate applies',
  },
  {
    key: 'maxConnections',
    variable: 'LECTERN_MAX_CONNECTIONS',
    flag: 'max-connections',
    default: 2000,
    unit: 'connections',
    kind: 'safety',
    meaning: 'open connections, at most what the open-file limit allows; further ones are closed immediately',
  },
  {
    key: 'drainMilliseconds',
    variable: 'LECTERN_DRAIN_MILLISECONDS',
    flag: 'drain-ms',
    default: 25_000,
    unit: 'milliseconds',
    kind: 'safety',
    meaning: 'time for running requests to finish after SIGTERM',
  },
  ...JOB_LIMIT_DEFINITIONS,
];
