// `lectern query`: SQL over files, each a table.

import { stat } from 'node:fs/promises';
import { quoted } from '../contract/index.ts';
import { createReader, type Input, ReaderError } from '../index.ts';
import { createQueryEngine, filesNamedIn } from '../query/index.ts';
import type { Command } from './command.ts';
import { limitsFrom, queryLimitsFrom } from './limit-flags.ts';
import {
  COMMON_OPTIONS,
  LIMIT_OPTIONS,
  type Option,
  QUERY_LIMIT_OPTIONS,
  REDACT_OPTIONS,
  REQUEST_OPTIONS,
  redactFrom,
  type Values,
} from './options.ts';
import { asJson, inputFrom, printText, report, statusOf, tokenizerFrom } from './read-command.ts';

const SHOWN = new Set(['rows', 'no-header', 'cursor']);
const FORMATS = ['csv', 'markdown', 'json'] as const;
/** Only of all rows. */
const PARQUET = 'parquet';

const QUERY_OPTIONS: readonly Option[] = [
  ...REQUEST_OPTIONS.filter(({ name }) => SHOWN.has(name)),
  {
    name: 'format',
    value: 'F',
    choices: [...FORMATS, PARQUET],
    help: 'output format: csv, markdown or json; with --all, csv or parquet',
  },
  { name: 'all', help: 'all rows as CSV or Parquet: no budget, no notes' },
  ...REDACT_OPTIONS,
  {
    name: 'tokenizer',
    value: 'NAME',
    choices: ['cl100k_base', 'o200k_base'],
    help: 'count tokens in cl100k_base (default) or o200k_base',
  },
];

export const query: Command = {
  options: [...QUERY_OPTIONS, ...LIMIT_OPTIONS, ...QUERY_LIMIT_OPTIONS, ...COMMON_OPTIONS],
  async run(words, values, terminal) {
    const sql = words.at(-1);
    const named =
      words.length === 1 ? await filesNamedIn(sql ?? '', HOST, terminal.signal) : words.slice(0, -1);
    if (sql === undefined || named.length === 0)
      throw new ReaderError(
        'BAD_INPUT',
        sql === undefined ? 'No file and no query given.' : 'No query given, or it names no file.',
        'Example: `lectern query \'SELECT count(*) FROM "orders.csv"\'`.',
      );
    const tokenizer = tokenizerFrom(values);
    const reader = createReader({
      environment: terminal.environment,
      limits: limitsFrom(values),
      ...(tokenizer && { tokenizer }),
      ...redactFrom(values),
    });
    const engine = createQueryEngine({
      environment: terminal.environment,
      limits: queryLimitsFrom(values),
    });
    try {
      const inputs = named.map((file): Input => inputFrom(file, terminal));
      const { signal } = terminal;
      const isAll = values['all'] === true;
      if (isAll) refuseBudget(values);
      const parquet = isAll && values['format'] === PARQUET;
      const header = values['no-header'] === true ? { header: false } : {};
      const rows = await engine.run({ sql, files: inputs, reader, parquet, signal, ...header });
      try {
        if (isAll) {
          for await (const chunk of parquet ? rows.parquet() : rows.chunks()) await terminal.out(chunk);
          return 0;
        }
        const answer = await rows.show({ ...shownFrom(values), signal });
        if (values['json'] === true)
          await terminal.out(asJson(answer.success ? { ...answer, query: rows.facts } : answer));
        if (!answer.success) report(terminal, 'query', answer.error);
        else if (values['json'] !== true) await printText(answer.text, false, terminal);
        return statusOf([answer]);
      } finally {
        await rows.close();
      }
    } finally {
      await engine.close();
    }
  },
};

/** Which paths exist, for a query without a list of files. */
const HOST = {
  kind: async (path: string): Promise<'file' | 'directory'> =>
    (await stat(path)).isFile() ? 'file' : 'directory',
};

/** @throws {ReaderError} BAD_INPUT */
function refuseBudget(values: Values): void {
  const other = ['json', 'cursor', 'rows', 'format', 'max-tokens'].find(
    (name) =>
      values[name] !== undefined && !(name === 'format' && [PARQUET, 'csv'].includes(String(values[name]))),
  );
  if (other !== undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `\`--all\` and \`--${other}\` cannot be combined.`,
      'Omit one of them.',
    );
}

/** @throws {ReaderError} BAD_INPUT for an unknown format */
function shownFrom({ rows, cursor, format }: Values): {
  readonly rows?: string;
  readonly cursor?: string;
  readonly format?: (typeof FORMATS)[number];
} {
  const chosen = FORMATS.find((one) => one === format);
  if (format !== undefined && chosen === undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `\`--format\` is ${quoted(String(format))}; expected \`csv\`, \`markdown\` or \`json\`.`,
      'Use one of these, or omit it.',
    );
  return {
    ...(typeof rows === 'string' && { rows }),
    ...(typeof cursor === 'string' && { cursor }),
    ...(chosen && { format: chosen }),
  };
}
