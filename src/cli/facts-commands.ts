// `lectern formats` and `lectern limits`: print the supported formats, and the limits with their values.

import { oneLine, shortName } from '../contract/index.ts';
import { type ContentsPage, createReader, type Inspection, type Limits } from '../index.ts';
import {
  givenLimits,
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  QUERY_LIMIT_DEFINITIONS,
  resolveHistoryLimits,
  resolveIsolationLimits,
  resolveLimits,
  resolveQueryLimits,
  resolveWorkspaceLimits,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../limits/index.ts';
import type { Command } from './command.ts';
import {
  historyLimitsFrom,
  isolationLimitsFrom,
  limitsFrom,
  queryLimitsFrom,
  workspaceLimitsFrom,
} from './limit-flags.ts';
import {
  COMMON_OPTIONS,
  HISTORY_LIMIT_OPTIONS,
  ISOLATION_LIMIT_OPTIONS,
  LIMIT_OPTIONS,
  QUERY_LIMIT_OPTIONS,
  WORKSPACE_LIMIT_OPTIONS,
} from './options.ts';
import { asJson } from './read-command.ts';
import { refuseWords } from './refuse-words.ts';
import { sizeText } from './sizes.ts';
import { wrap } from './terminal.ts';

/** Metadata of a file, below its name. */
export function facts(result: Inspection & { success: true }, name: string): string {
  const { name: _, encoding, sheets, ...others } = result.metadata;
  const { contents } = result;
  // The list of contents has a line for each sheet.
  const rest = contents || sheets === undefined ? others : { ...others, sheets };
  const rows: [string, unknown][] = [['file type', `${result.fileType} (read as ${result.processor})`]];
  if (encoding) rows.push(['encoding', `${encoding.name}, ${Math.round(encoding.confidence * 100)} % sure`]);
  for (const [key, value] of Object.entries(rest)) rows.push([inWords(key), readable(key, value)]);
  for (const { code, message } of result.warnings) rows.push(['warning', `${code}: ${message}`]);
  const width = Math.max(...rows.map(([key]) => key.length));
  const lines = rows.map(
    ([key, value]) =>
      `  ${key.padEnd(width)}  ${oneLine(typeof value === 'object' || value === '\t' ? JSON.stringify(value) : String(value))}`,
  );
  return `${shortName(name)}\n${lines.join('\n')}\n${contents ? contentsText(contents) : ''}`;
}

function contentsText({ text, shown, of, next }: ContentsPage): string {
  const listed = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `  ${oneLine(line)}\n`)
    .join('');
  const part = shown && next ? `: ${shown[0]}-${shown[1]} of ${of}` : '';
  return `\n  contents${part}\n${listed}${next ? `  Use --cursor ${next.cursor} for the next.\n` : ''}`;
}

/** `documentModified` as `document modified`. */
const inWords = (key: string): string =>
  key
    .replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^(?:pdf|mime|xmp|exif)\b/, (name) => name.toUpperCase());

/** Sizes of files also in a unit that people read. */
const readable = (key: string, value: unknown): unknown =>
  key === 'bytes' && typeof value === 'number' && value >= 1024 ? `${value} (${sizeText(value)})` : value;

export const formats: Command = {
  options: COMMON_OPTIONS,
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    refuseWords('formats', words);
    const { processors } = createReader({ environment: terminal.environment });
    const rows = processors.map(({ name, fileType, extensions, mimeTypes, names, selects }) => ({
      name,
      fileType,
      extensions,
      mimeTypes,
      names: names ?? [],
      selects,
    }));
    if (values['json'] === true) await terminal.out(asJson(rows));
    else {
      const count = rows.reduce((sum, row) => sum + row.extensions.length, 0);
      const lines = rows.map(
        (row) =>
          `${row.name}\n${wrap([...new Set([...row.extensions, ...row.names])].join(' '), 2, terminal.columns)}`,
      );
      await terminal.out(
        `${lines.join('\n')}\n\n${rows.length} formats, ${count} extensions. Any other text file is read as text.\n`,
      );
    }
    return 0;
  },
};

export const limits: Command = {
  options: [
    ...LIMIT_OPTIONS,
    ...WORKSPACE_LIMIT_OPTIONS,
    ...HISTORY_LIMIT_OPTIONS,
    ...ISOLATION_LIMIT_OPTIONS,
    ...QUERY_LIMIT_OPTIONS,
    ...COMMON_OPTIONS,
  ],
  async run(words, values, terminal) {
    refuseWords('limits', words);
    const ofReads = resolveLimits(limitsFrom(values), terminal.environment);
    const ofWorkspaces = resolveWorkspaceLimits(workspaceLimitsFrom(values), terminal.environment);
    const ofHistories = resolveHistoryLimits(historyLimitsFrom(values), terminal.environment);
    const ofIsolation = resolveIsolationLimits(isolationLimitsFrom(values), terminal.environment);
    const ofQueries = resolveQueryLimits(queryLimitsFrom(values), terminal.environment);
    const rows = [
      ...LIMIT_DEFINITIONS.map((definition) => ({ ...definition, value: ofReads[definition.key] })),
      ...WORKSPACE_LIMIT_DEFINITIONS.map((definition) => ({
        ...definition,
        value: ofWorkspaces[definition.key],
      })),
      ...HISTORY_LIMIT_DEFINITIONS.map((definition) => ({
        ...definition,
        value: ofHistories[definition.key],
      })),
      ...ISOLATION_LIMIT_DEFINITIONS.map((definition) => ({
        ...definition,
        value: ofIsolation[definition.key],
      })),
      ...QUERY_LIMIT_DEFINITIONS.map((definition) => ({ ...definition, value: ofQueries[definition.key] })),
    ];
    if (values['json'] === true) await terminal.out(asJson(rows));
    else {
      const isSet = givenLimits(limitsFrom(values), terminal.environment);
      const shown = rows.map((row) => ({
        ...row,
        worth:
          row.kind === 'view' && isSet[row.key as keyof Limits] === undefined
            ? 'not set'
            : `${row.value} ${row.unit}`,
      }));
      await terminal.out(terminal.isInteractive ? inBlocks(shown, terminal.columns) : inLines(shown));
    }
    return 0;
  },
};

interface LimitRow {
  readonly flag: string;
  readonly variable: string;
  readonly worth: string;
  readonly meaning: string;
}

/** Fits the width of a terminal. */
const inBlocks = (rows: readonly LimitRow[], columns: number): string =>
  rows
    .map(({ flag, worth, variable, meaning }) => {
      const text = wrap(`${meaning} (${variable})`, 4, columns);
      return `--${flag}  ${worth}\n${text}\n`;
    })
    .join('');

/** One limit in a line, for programs such as grep. */
function inLines(rows: readonly LimitRow[]): string {
  const widthOf = (field: keyof LimitRow): number => Math.max(...rows.map((row) => row[field].length)) + 2;
  const [variables, flags, values] = [widthOf('variable'), widthOf('flag'), widthOf('worth')];
  return rows
    .map(
      ({ flag, worth, variable, meaning }) =>
        `${variable.padEnd(variables)}--${flag.padEnd(flags)}${worth.padEnd(values)}${meaning}\n`,
    )
    .join('');
}
