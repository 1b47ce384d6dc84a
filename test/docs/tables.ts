// The tables in the documents, made from the code that they describe.

import { readFileSync } from 'node:fs';
import { COMMANDS } from '../../src/cli/commands.ts';
import { PRESET_NAMES, type Preset, presetOf } from '../../src/history/index.ts';
import {
  ATTACHMENT_LIMITS,
  createReader,
  createWorkspace,
  type ErrorCode,
  EXIT_STATUS,
  HTTP_STATUS,
} from '../../src/index.ts';
import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  QUERY_LIMIT_DEFINITIONS,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../../src/limits/index.ts';
import { createQueryEngine } from '../../src/query/index.ts';
import { SERVICE_LIMIT_DEFINITIONS } from '../../src/service/limits.ts';
import { createTools, inputSchemaOf } from '../../src/tools/index.ts';

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BAD_INPUT: 'invalid request or input',
  PATH_ESCAPES_WORKSPACE: 'the path leads out of the workspace',
  FILE_NOT_FOUND: 'no file at this path; the hint suggests similar names',
  NOT_A_FILE: 'a directory, pipe, socket or device',
  NOT_A_FOLDER: 'expected a folder, or a parent in the path is a file',
  ALREADY_EXISTS: 'the name is in use',
  ACCESS_DENIED: 'the process may not read it',
  UNSUPPORTED_FORMAT: 'lectern cannot read this format; the message names it',
  CORRUPT_FILE: 'damaged, or not a valid file of its format',
  ENCRYPTED_FILE: 'protected by a password that was not given, or in a way lectern cannot open',
  WRONG_PASSWORD: 'the password does not open the file',
  LIMIT_EXCEEDED: 'reached a safety limit; the message names it',
  OVER_BUDGET: 'exceeds the budget, and `overflow` is `"error"`',
  STALE_CURSOR: 'the file changed since the cursor was created',
  CONFLICT: 'the file changed since it was read',
  QUOTA_EXCEEDED: 'the workspace is full',
  MISSING_DEPENDENCY: 'an optional package is not installed',
  TIMED_OUT: 'exceeded the time limit',
  OUT_OF_MEMORY: 'exceeded the memory limit',
  CRASHED: 'the child process that read the file crashed',
  BUSY: 'too many requests in progress; try again',
  ABORTED: 'cancelled by the caller',
  INTERNAL: 'a bug in lectern',
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

const limitTable = (definitions: readonly LimitDefinition<string>[]): string =>
  table(
    ['variable', 'flag', 'default', 'meaning'],
    definitions.map(({ variable, alias, flag, default: value, unit, kind, meaning }) => [
      [variable, alias].flatMap((name) => (name === undefined ? [] : [`\`${name}\``])).join(', '),
      `\`--${flag}\``,
      `${value} ${unit}`,
      kind === 'format' ? meaning : `${meaning} (${kind === 'view' ? 'if set' : kind})`,
    ]),
  );

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const unlessItFits = ({ unlessFits }: { readonly unlessFits?: boolean }): string =>
  unlessFits ? ', unless the history fits' : '';

const mark = (at: number): string => (at <= 1 ? `${percent(at)} of the window` : `${at} tokens`);
const from = ({ at }: { readonly at?: number }): string =>
  at === undefined ? 'yes' : at === 0 ? 'at every call' : `above ${mark(at)}`;

/** What each tier does, in the order they act. */
const TIERS: readonly (readonly [string, (preset: Preset) => string])[] = [
  ['trigger', ({ threshold }) => mark(threshold.at)],
  ['target', ({ threshold }) => mark(threshold.to)],
  [
    '1. move large results to files, leave a preview',
    ({ policy: { offload } }) => (offload ? `over ${offload.over} tokens${unlessItFits(offload)}` : ''),
  ],
  [
    '2. shorten results',
    ({ policy: { truncate } }) =>
      truncate ? `to ${truncate.over} tokens (\`${truncate.keep}\`)${unlessItFits(truncate)}` : '',
  ],
  [
    '3. mask results',
    ({ policy: { mask } }) =>
      mask ? `except errors, the first ${mask.keepFirst} and the last ${mask.keepLast}, ${from(mask)}` : '',
  ],
  [
    '4. replace written file contents with pointers',
    ({ policy: { pointers } }) => (pointers ? from(pointers) : ''),
  ],
  [
    '5. drop turns',
    ({ policy: { drop, workingSet } }) => {
      if (!drop) return '';
      const notice =
        drop.notice === 0
          ? ''
          : `, with a ${drop.without === 'ends' ? 'summary or both ends' : 'summary or digest'}`;
      return `${from(drop)}, ${workingSet ? 'unused' : 'oldest'} first${notice}`;
    },
  ],
  [
    'newest messages kept',
    ({ policy: { keepRecent } }) =>
      keepRecent > 0 ? `${percent(keepRecent)}, at most half of the target` : '',
  ],
  ['messages', ({ policy: { messages } }) => (messages ? `at most ${messages.at}` : '')],
];

interface Moment {
  readonly date: string;
  readonly commit: string;
}

interface Figures {
  readonly where: string;
  readonly cases: Readonly<
    Record<string, Moment & { readonly rows: readonly Readonly<Record<string, string>>[] }>
  >;
  readonly gate: Readonly<Record<string, Moment & { readonly ratio: number }>>;
}
export const figures: Figures = JSON.parse(
  readFileSync(new URL('../bench/figures.json', import.meta.url), 'utf8'),
  // As `npm run bench -- --record` writes it.
) as Figures;

type Measured = Figures['cases'][string]['rows'][number];

/** Measurements that `keeps` selects. */
const figureTable = (columns: readonly string[], keeps: (row: Measured) => boolean): string =>
  table(
    ['case', ...columns, 'measured'],
    Object.entries(figures.cases).flatMap(([name, { rows, ...moment }]) =>
      rows.filter(keeps).map((row) => [name, ...columns.map((column) => row[column] ?? ''), told(moment)]),
    ),
  );

const told = ({ date, commit }: Moment): string => `${date}, ${commit}`;

/**
 * One measurement in a sentence: `csv 0` is the first of the case `csv`.
 * @throws where there is none
 */
export function figureOf(place: string): string {
  const [name = '', index = ''] = place.split(' ');
  const row = figures.cases[name]?.rows[Number(index)];
  if (row === undefined)
    throw new Error(`A document names a figure ${place} that figures.json does not have.`);
  return [row['lectern'], row['rival'], row['figure']].filter((part) => part).join('; ');
}

const FLAGS_OF_LIMITS = new Set(
  [
    ...LIMIT_DEFINITIONS,
    ...WORKSPACE_LIMIT_DEFINITIONS,
    ...HISTORY_LIMIT_DEFINITIONS,
    ...ISOLATION_LIMIT_DEFINITIONS,
    ...QUERY_LIMIT_DEFINITIONS,
    ...SERVICE_LIMIT_DEFINITIONS,
  ].map(({ flag }) => flag),
);

/** Options of every command but limits, `--json` and `--help`, which have their own places. */
const optionTables = await Promise.all(
  COMMANDS.map(async ({ name, load }) => {
    const { options } = await load();
    const rows = options
      .filter((option) => !FLAGS_OF_LIMITS.has(option.name) && !['json', 'help'].includes(option.name))
      .map(({ name: long, short, value, help }) => [
        `\`${short ? `-${short}, ` : ''}--${long}${value ? ` ${value}` : ''}\``,
        help,
      ]);
    return [`options_${name}`, rows.length === 0 ? '' : table(['option', 'meaning'], rows)] as const;
  }),
);

/** One row for each limit, one column for each target; the rule by which a picture costs tokens is no single value. */
function attachmentTable(): string {
  const shown = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    return Array.isArray(value)
      ? value.map((type) => String(type).replace(/^\w+\//, '')).join(' ')
      : String(value);
  };
  const targets = Object.entries(ATTACHMENT_LIMITS);
  const names = Object.keys(ATTACHMENT_LIMITS.anthropic).filter((name) => name !== 'imageTokens');
  return table(
    ['', ...targets.map(([target]) => `\`${target}\``)],
    names.map((name) => [
      `\`${name}\``,
      ...targets.map(([, limits]) => shown(new Map(Object.entries(limits)).get(name)?.value)),
    ]),
  );
}

const TOOLS = createTools({
  reader: createReader({ workspace: createWorkspace({ root: '.' }) }),
  queries: createQueryEngine(),
});

/** By the name in `<!-- table: NAME -->`. */
export const TABLES: Readonly<Record<string, string>> = {
  machine: figures.where,
  figures: figureTable(['work', 'lectern', 'rival', 'figure'], ({ rival }) => rival !== undefined),
  redaction: table(
    ['', 'lectern', 'secretlint'],
    (figures.cases['redact']?.rows ?? [])
      .filter(({ rival = '' }) => rival.startsWith('secretlint'))
      .map(({ work = '', lectern = '', rival = '' }) => [work, lectern, rival.replace('secretlint ', '')]),
  ),
  other_figures: figureTable(['work', 'lectern', 'figure'], ({ rival }) => rival === undefined),
  gate: table(
    ['case', 'ratio', 'measured'],
    Object.entries(figures.gate).map(([name, { ratio, ...moment }]) => [name, String(ratio), told(moment)]),
  ),
  formats: table(
    ['format', 'endings'],
    createReader({ environment: {} }).processors.map(({ name, extensions, names = [] }) => [
      name,
      [...new Set([...extensions, ...names])].map((ending) => `\`${ending}\``).join(' '),
    ]),
  ),
  limits: limitTable(LIMIT_DEFINITIONS),
  workspace_limits: limitTable(WORKSPACE_LIMIT_DEFINITIONS),
  history_limits: limitTable(HISTORY_LIMIT_DEFINITIONS),
  isolation_limits: limitTable(ISOLATION_LIMIT_DEFINITIONS),
  query_limits: limitTable(QUERY_LIMIT_DEFINITIONS),
  service_limits: limitTable(SERVICE_LIMIT_DEFINITIONS),
  presets: table(
    ['', ...PRESET_NAMES],
    TIERS.map(([name, inPreset]) => [
      name,
      ...PRESET_NAMES.map((preset) => inPreset(presetOf(preset, 200_000))),
    ]),
  ),
  errors: table(
    ['code', 'HTTP', 'exit', 'meaning'],
    // Keys of a total record over ErrorCode, so each is one.
    (Object.keys(MEANINGS) as ErrorCode[]).map((code) => [
      `\`${code}\``,
      String(HTTP_STATUS[code]),
      String(EXIT_STATUS[code]),
      MEANINGS[code],
    ]),
  ),
  attachment_limits: attachmentTable(),
  commands: table(
    ['command', 'purpose'],
    COMMANDS.map(({ name, usage, help }) => [
      `\`lectern ${name}${usage ? ` ${usage}` : ''}\``.replaceAll('|', '\\|'),
      help,
    ]),
  ),
  ...Object.fromEntries(optionTables.filter(([, rows]) => rows !== '')),
  tools: table(
    ['tool', 'arguments'],
    TOOLS.map((tool) => [
      `\`${tool.name}\``,
      Object.keys(inputSchemaOf(tool).properties)
        .map((name) => `\`${name}\``)
        .join(', '),
    ]),
  ),
};
