// The README against the code: its tables are the code's, and its example runs. `UPDATE_README=1` writes the tables anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRESET_NAMES, type Preset, presetOf } from '../src/history/index.ts';
import { createReader, type ErrorCode, EXIT_STATUS, HTTP_STATUS } from '../src/index.ts';
import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../src/limits/index.ts';
import { SERVICE_LIMIT_DEFINITIONS } from '../src/service/limits.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BAD_INPUT: 'the request or the input is not of a form that can be read',
  PATH_ESCAPES_WORKSPACE: 'the path leads out of the workspace',
  FILE_NOT_FOUND: 'there is no such file; near names are suggested',
  NOT_A_FILE: 'a directory, pipe, socket or device',
  NOT_A_FOLDER: 'a folder was expected, or a parent in the path is a file',
  ALREADY_EXISTS: 'the name is in use',
  ACCESS_DENIED: 'the process may not read it',
  UNSUPPORTED_FORMAT: 'a format that is not read; the message names it',
  CORRUPT_FILE: 'not what its name says, or damaged',
  ENCRYPTED_FILE: 'protected by a password',
  LIMIT_EXCEEDED: 'a safety limit was reached; the message names it',
  OVER_BUDGET: 'does not fit, and `overflow` is `"error"`',
  STALE_CURSOR: 'the file changed since the cursor was made',
  CONFLICT: 'someone else changed it since it was read',
  QUOTA_EXCEEDED: 'no space left in the workspace',
  MISSING_DEPENDENCY: 'an optional part is not installed',
  TIMED_OUT: 'took longer than allowed',
  OUT_OF_MEMORY: 'needed more memory than allowed',
  CRASHED: 'the process that read it ended',
  BUSY: 'too much work under way; try again',
  ABORTED: 'cancelled by the caller',
  INTERNAL: 'a fault in lectern',
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

const spared = ({ unlessFits }: { readonly unlessFits?: boolean }): string =>
  unlessFits ? ', unless it fits' : '';

const mark = (at: number, unit: string = 'tokens of history'): string =>
  at <= 1 ? percent(at) : `${at} ${unit}`;
const from = ({ at }: { readonly at?: number }): string =>
  at === undefined ? 'yes' : at === 0 ? 'at every call' : `at ${mark(at)}`;

/** What each tier does, in the order they act. */
const TIERS: readonly (readonly [string, (preset: Preset) => string])[] = [
  ['compacted above', ({ threshold }) => mark(threshold.at)],
  ['down to', ({ threshold }) => mark(threshold.to)],
  [
    '1 a result to a file, a preview stays',
    ({ policy: { offload } }) => (offload ? `over ${offload.over} tokens${spared(offload)}` : ''),
  ],
  [
    '2 a result cut',
    ({ policy: { truncate } }) =>
      truncate ? `to ${truncate.over} tokens, ${truncate.keep}${spared(truncate)}` : '',
  ],
  [
    '3 results masked',
    ({ policy: { mask } }) =>
      mask ? `but the first ${mask.keepFirst}, the last ${mask.keepLast} and errors, ${from(mask)}` : '',
  ],
  [
    'with them',
    ({ policy: { accounts, repeats } }) =>
      [repeats ? 'repeated results first' : '', accounts ? 'an account of each stays' : '']
        .filter((part) => part !== '')
        .join(', '),
  ],
  ['4 pointers for contents written', ({ policy: { pointers } }) => (pointers ? from(pointers) : '')],
  [
    '5 turns dropped',
    ({ policy: { drop, leaves } }) => (drop ? `${leaves} first${drop.digest ? ', with a digest' : ''}` : ''),
  ],
  [
    '6 what left summarised',
    ({ policy: { summarize } }) =>
      summarize
        ? `${from(summarize)}${summarize.keep ? `, all but the newest ${summarize.keep} messages` : ''}`
        : '',
  ],
  [
    'newest kept',
    ({ policy: { keepRecent } }) => (keepRecent > 0 ? `${percent(keepRecent)}, at most half of \`to\`` : ''),
  ],
  ['messages', ({ policy: { messages } }) => (messages ? `at most ${messages.at}` : '')],
  [
    'before the newest message of the user',
    ({ policy: { earlier } }) => (earlier ? `at most ${earlier.at} tokens` : ''),
  ],
];

interface Figures {
  readonly where: string;
  readonly cases: Readonly<
    Record<string, { readonly date: string; readonly rows: readonly Readonly<Record<string, string>>[] }>
  >;
}
const figures: Figures = JSON.parse(
  readFileSync(new URL('bench/figures.json', import.meta.url), 'utf8'),
  // As `npm run bench -- --record` writes it.
) as Figures;

/** Figures that stand beside a rival's, and where and when they were measured. */
function figureTable({ where, cases }: Figures): string {
  const rows = Object.entries(cases).flatMap(([name, { date, rows: measured }]) =>
    measured
      .filter(({ beside }) => beside !== undefined)
      .map(({ work = '', lectern = '', beside = '', figure = '' }) => [
        name,
        work,
        lectern,
        beside,
        figure,
        date,
      ]),
  );
  return `${where}:\n\n${table(['case', 'work', 'lectern', 'beside', 'figure', 'measured'], rows)}`;
}

const tables: Readonly<Record<string, string>> = {
  figures: figureTable(figures),
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
  service_limits: limitTable(SERVICE_LIMIT_DEFINITIONS),
  presets: table(
    ['', ...PRESET_NAMES],
    TIERS.map(([name, told]) => [name, ...PRESET_NAMES.map((preset) => told(presetOf(preset, 200_000)))]),
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
};

function withTables(text: string): string {
  return text.replace(/<!-- table: (\w+) -->[\s\S]*?<!-- \/table -->/g, (_all, name: string) => {
    const rows = tables[name];
    if (rows === undefined) throw new Error(`README names a table ${name} that the code does not have`);
    return `<!-- table: ${name} -->\n${rows}\n<!-- /table -->`;
  });
}

it.each(['README.md', 'docs/service.md'])('%s has the tables of the code', (name) => {
  const page = new URL(`../${name}`, import.meta.url);
  const text = readFileSync(page, 'utf8');
  if (process.env['UPDATE_README']) writeFileSync(page, withTables(text));
  else expect(text).toBe(withTables(text));
});

describe('README', () => {
  it('shows what the command line prints', async () => {
    const shown = /--lines 499-\n([\s\S]*?)```/.exec(readme)?.[1];
    const result = await createReader({ environment: {} }).read('fixtures/text/many-lines.log', {
      lines: '499-',
    });
    expect(result.success && result.text).toBe(shown);
  });

  it('has no figure of speed, size or share but those', () => {
    const prose = readme.replaceAll(/<!-- table: \w+ -->[\s\S]*?<!-- \/table -->/g, '');
    expect(
      prose.match(/[^\n]*\b\d[\d.,]*\s?(?:%|ms\b|s\b|seconds\b|[kMG]B\b|times\b|x\b)[^\n]*/g) ?? [],
    ).toEqual([]);
  });
});
