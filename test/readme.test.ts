// The README against the code: its tables are the code's, and its example runs. `UPDATE_README=1` writes the tables anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createReader,
  type ErrorCode,
  EXIT_STATUS,
  HISTORY_LIMIT_DEFINITIONS,
  HTTP_STATUS,
  LIMIT_DEFINITIONS,
  type LimitDefinition,
  WORKSPACE_LIMIT_DEFINITIONS,
} from '../src/index.ts';

const path = new URL('../README.md', import.meta.url);
const readme = readFileSync(path, 'utf8');

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BAD_INPUT: 'the request or the input is not of a form that can be read',
  PATH_ESCAPES_WORKSPACE: 'the path leads out of the workspace',
  FILE_NOT_FOUND: 'there is no such file; near names are suggested',
  NOT_A_FILE: 'a directory, pipe, socket or device',
  ACCESS_DENIED: 'the process may not read it',
  UNSUPPORTED_FORMAT: 'a format that is not read; the message names it',
  CORRUPT_FILE: 'not what its name says, or damaged',
  ENCRYPTED_FILE: 'protected by a password',
  LIMIT_EXCEEDED: 'a safety limit was reached; the message names it',
  OVER_BUDGET: 'does not fit, and `overflow` is `"error"`',
  STALE_CURSOR: 'the file changed since the cursor was made',
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
    definitions.map(({ variable, flag, default: value, unit, kind, meaning }) => [
      `\`${variable}\``,
      `\`--${flag}\``,
      `${value} ${unit}`,
      kind === 'format' ? meaning : `${meaning} (${kind})`,
    ]),
  );

const tables: Readonly<Record<string, string>> = {
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

describe('README', () => {
  it('has the tables of the code', () => {
    if (process.env['UPDATE_README']) writeFileSync(path, withTables(readme));
    else expect(readme).toBe(withTables(readme));
  });

  it('shows what the command line prints', async () => {
    const shown = /--lines 499-\n([\s\S]*?)```/.exec(readme)?.[1];
    const result = await createReader({ environment: {} }).read('fixtures/text/many-lines.log', {
      lines: '499-',
    });
    expect(result.success && result.text).toBe(shown);
  });
});
