// Limits of SQL queries.

import type { QueryLimits } from '../../contract/index.ts';
import { GIB, type LimitDefinition, MIB } from './definition.ts';

/** Limits of queries. */
export const QUERY_LIMIT_DEFINITIONS: readonly LimitDefinition<keyof QueryLimits>[] = [
  {
    key: 'maxQueryMilliseconds',
    variable: 'LECTERN_MAX_QUERY_MILLISECONDS',
    flag: 'max-query-ms',
    default: 30_000,
    unit: 'milliseconds',
    kind: 'safety',
    meaning: 'time for one SQL query',
  },
  {
    key: 'maxQueryProcessBytes',
    variable: 'LECTERN_MAX_QUERY_PROCESS_BYTES',
    flag: 'max-query-process-bytes',
    default: 2 * GIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'memory of the process of one SQL query, half of it for the database; at least 512 MiB',
  },
  {
    key: 'maxQueryResultBytes',
    variable: 'LECTERN_MAX_QUERY_RESULT_BYTES',
    flag: 'max-query-result-bytes',
    default: 256 * MIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'size of the rows of one SQL query, as CSV',
  },
];
