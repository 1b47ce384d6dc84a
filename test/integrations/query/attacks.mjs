// Hostile SQL, and what each statement must end in. `code`: the codes of its error, `rows`: the rows of its answer.

import { readFileSync } from 'node:fs';

/** Parts that would be long to write out. */
const LONG = {
  '{numbers}': () => Array.from({ length: 130_000 }, (_, n) => n).join(','),
  '{open}': () => '('.repeat(100_000),
  '{close}': () => ')'.repeat(100_000),
  '{sum}': () => Array(100_000).fill('1').join('+'),
  '{selects}': () => 'SELECT * FROM ('.repeat(5000),
  '{ends}': () => ')'.repeat(5000),
  '{columns}': () => Array.from({ length: 2000 }, (_, n) => `id AS c${n}`).join(', '),
};

/** @returns {{ name: string, sql: string, codes: readonly string[], rows: number | undefined }[]} */
export function attacks() {
  return JSON.parse(readFileSync(new URL('attacks.json', import.meta.url), 'utf8')).map(
    ({ name, sql, code = '', rows }) => ({
      name,
      sql: sql.replace(/\{[a-z]+\}/g, (part) => LONG[part]?.() ?? part),
      codes: code.split('|').filter(Boolean),
      rows,
    }),
  );
}
