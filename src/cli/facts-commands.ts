// `lectern formats` and `lectern limits`: print the supported formats, and the limits with their values.

import { oneLine, shortName } from '../contract/index.ts';
import { createReader, type Inspection } from '../index.ts';
import {
  HISTORY_LIMIT_DEFINITIONS,
  ISOLATION_LIMIT_DEFINITIONS,
  LIMIT_DEFINITIONS,
  resolveHistoryLimits,
  resolveIsolationLimits,
  resolveLimits,
  resolveWorkspaceLimits,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../limits/index.ts';
import type { Command } from './command.ts';
import { historyLimitsFrom, isolationLimitsFrom, limitsFrom, workspaceLimitsFrom } from './limit-flags.ts';
import {
  COMMON_OPTIONS,
  HISTORY_LIMIT_OPTIONS,
  ISOLATION_LIMIT_OPTIONS,
  LIMIT_OPTIONS,
  WORKSPACE_LIMIT_OPTIONS,
} from './options.ts';
import { asJson } from './read-command.ts';
import { refuseWords } from './refuse-words.ts';
import { wrap } from './terminal.ts';

/** Metadata of a file, below its name. */
export function facts(result: Inspection & { success: true }, name: string): string {
  const { name: _, encoding, ...rest } = result.metadata;
  const rows: [string, unknown][] = [['file type', `${result.fileType} (read as ${result.processor})`]];
  if (encoding) rows.push(['encoding', `${encoding.name}, ${Math.round(encoding.confidence * 100)} % sure`]);
  rows.push(...Object.entries(rest));
  for (const { code, message } of result.warnings) rows.push(['warning', `${code}: ${message}`]);
  const width = Math.max(...rows.map(([key]) => key.length));
  const lines = rows.map(
    ([key, value]) =>
      `  ${key.padEnd(width)}  ${oneLine(typeof value === 'object' || value === '\t' ? JSON.stringify(value) : String(value))}`,
  );
  return `${shortName(name)}\n${lines.join('\n')}\n`;
}

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
    ...COMMON_OPTIONS,
  ],
  async run(words, values, terminal) {
    refuseWords('limits', words);
    const ofReads = resolveLimits(limitsFrom(values), terminal.environment);
    const ofWorkspaces = resolveWorkspaceLimits(workspaceLimitsFrom(values), terminal.environment);
    const ofHistories = resolveHistoryLimits(historyLimitsFrom(values), terminal.environment);
    const ofIsolation = resolveIsolationLimits(isolationLimitsFrom(values), terminal.environment);
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
    ];
    if (values['json'] === true) await terminal.out(asJson(rows));
    else {
      const width = Math.max(...rows.map(({ variable }) => variable.length));
      const flags = Math.max(...rows.map(({ flag }) => flag.length)) + 2;
      const lines = rows.map(
        (row) =>
          `${row.variable.padEnd(width)}  --${row.flag.padEnd(flags)}${String(row.value).padStart(11)} ${row.unit.padEnd(11)} ${row.meaning}`,
      );
      await terminal.out(`${lines.join('\n')}\n`);
    }
    return 0;
  },
};
