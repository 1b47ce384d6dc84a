// Every limit once: its name, default, unit, environment variable, flag and meaning. Nothing else states a default.

import type { Limits } from '../contract/index.ts';

/** One limit, as the command line, the environment and the README name and describe it. */
export interface LimitDefinition {
  readonly key: keyof Limits;
  /** Environment variable and the name users know it by. */
  readonly variable: string;
  /** Long option of the command line, without dashes. */
  readonly flag: string;
  readonly default: number;
  readonly unit: string;
  /** A format limit shapes an answer; a safety limit makes a read fail with LIMIT_EXCEEDED. */
  readonly kind: 'format' | 'safety';
  readonly meaning: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** In the order `lectern limits` prints them. */
export const LIMIT_DEFINITIONS: readonly LimitDefinition[] = [
  {
    key: 'maxTokensPerFile',
    variable: 'MAX_TOKENS_PER_FILE',
    flag: 'max-tokens',
    default: 5000,
    unit: 'tokens',
    kind: 'format',
    meaning: 'budget of one answer, notes included',
  },
  {
    key: 'maxTotalOutput',
    variable: 'MAX_TOTAL_OUTPUT',
    flag: 'max-total-output',
    default: 50_000,
    unit: 'characters',
    kind: 'format',
    meaning: 'characters of one answer, notes included',
  },
  {
    key: 'maxLines',
    variable: 'MAX_LINES',
    flag: 'max-lines',
    default: 200,
    unit: 'lines',
    kind: 'format',
    meaning: 'lines of text, code or Markdown shown at once',
  },
  {
    key: 'maxLineLength',
    variable: 'MAX_LINE_LENGTH',
    flag: 'max-line-length',
    default: 1000,
    unit: 'characters',
    kind: 'format',
    meaning: 'characters of one line shown before it is cut; a cursor continues inside the line',
  },
  {
    key: 'maxColumns',
    variable: 'MAX_COLUMNS',
    flag: 'max-columns',
    default: 50,
    unit: 'columns',
    kind: 'format',
    meaning: 'columns of a table shown',
  },
  {
    key: 'rowsHead',
    variable: 'DEFAULT_ROWS_HEAD',
    flag: 'rows-head',
    default: 20,
    unit: 'rows',
    kind: 'format',
    meaning: 'rows shown from the start of a table',
  },
  {
    key: 'rowsTail',
    variable: 'DEFAULT_ROWS_TAIL',
    flag: 'rows-tail',
    default: 10,
    unit: 'rows',
    kind: 'format',
    meaning: 'rows shown from the end of a table',
  },
  {
    key: 'maxCellLength',
    variable: 'MAX_CELL_LENGTH',
    flag: 'max-cell-length',
    default: 500,
    unit: 'characters',
    kind: 'format',
    meaning: 'characters of one cell shown',
  },
  {
    key: 'maxSheets',
    variable: 'MAX_SHEETS',
    flag: 'max-sheets',
    default: 3,
    unit: 'sheets',
    kind: 'format',
    meaning: 'sheets of a workbook shown at once',
  },
  {
    key: 'maxNestingDepth',
    variable: 'MAX_NESTING_DEPTH',
    flag: 'max-depth',
    default: 5,
    unit: 'levels',
    kind: 'format',
    meaning: 'levels of a nested structure entered',
  },
  {
    key: 'maxArrayItems',
    variable: 'MAX_ARRAY_ITEMS',
    flag: 'max-items',
    default: 50,
    unit: 'items',
    kind: 'format',
    meaning: 'items of one array, records of JSON Lines, or child elements shown',
  },
  {
    key: 'maxObjectKeys',
    variable: 'MAX_OBJECT_KEYS',
    flag: 'max-keys',
    default: 50,
    unit: 'keys',
    kind: 'format',
    meaning: 'keys of one object shown',
  },
  {
    key: 'maxStringValueLength',
    variable: 'MAX_STRING_VALUE_LENGTH',
    flag: 'max-string-length',
    default: 500,
    unit: 'characters',
    kind: 'format',
    meaning: 'characters of one string value shown',
  },
  {
    key: 'maxBytesInMemory',
    variable: 'MAX_BYTES_IN_MEMORY',
    flag: 'max-bytes-in-memory',
    default: 256 * MIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'largest file that a format which must be held whole may have',
  },
  {
    key: 'maxStreamBytes',
    variable: 'MAX_STREAM_BYTES',
    flag: 'max-stream-bytes',
    default: 8 * GIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'bytes taken from a stream; past 32 MiB they wait in an unnamed temporary file',
  },
  {
    key: 'maxInflatedBytes',
    variable: 'MAX_INFLATED_BYTES',
    flag: 'max-inflated-bytes',
    default: 4 * GIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'bytes really inflated from one compressed file',
  },
  {
    key: 'maxInflateRatio',
    variable: 'MAX_INFLATE_RATIO',
    flag: 'max-inflate-ratio',
    default: 200,
    unit: 'times',
    kind: 'safety',
    meaning: 'inflated bytes per compressed byte, once an entry has passed 1 MiB',
  },
  {
    key: 'maxTreeBytes',
    variable: 'MAX_TREE_BYTES',
    flag: 'max-tree-bytes',
    default: 2 * MIB,
    unit: 'bytes',
    kind: 'safety',
    meaning: 'largest YAML or TOML file parsed as a tree; larger ones are shown as text',
  },
];
