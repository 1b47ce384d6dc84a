// Accounts of tool results: examples of each form, exact counts, and only content from the text.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../src/history/policy/templates/index.ts';

const linesOf = (text: string, tool: string | null = null): readonly string[] =>
  (accountOf(text, tool) ?? '').split('\n');

describe('an account', () => {
  it('of a test run quotes its summary and failures', () => {
    const text = [
      ' RUN  v4.1.12 /srv/app',
      ' ✓ test/a.test.ts (3 tests)',
      ' FAIL  test/b.test.ts > adds',
      'AssertionError: expected 3 to be 4',
      ' Test Files  1 failed | 1 passed (2)',
      '      Tests  1 failed | 5 passed (6)',
    ].join('\n');
    expect(linesOf(text, 'bash')).toEqual([
      'Test run summary:',
      'Test Files  1 failed | 1 passed (2)',
      'Tests  1 failed | 5 passed (6)',
      '1 failure line:',
      '- FAIL  test/b.test.ts > adds',
    ]);
    expect(
      linesOf('...\n===== 2 failed, 7 passed in 1.20s =====\nFAILED test_a.py::test_x - assert 0'),
    ).toEqual([
      'Test run summary:',
      '===== 2 failed, 7 passed in 1.20s =====',
      '1 failure line:',
      '- FAILED test_a.py::test_x - assert 0',
    ]);
  });

  it('of a run by package counts summary lines, and names each failure', () => {
    const packages = Array.from(
      { length: 30 },
      (_, at) => `${at === 2 ? 'FAIL' : 'ok  '}\tx.io/p${at}\t0.01s`,
    );
    expect(linesOf(packages.join('\n'), 'bash')).toEqual([
      'Test run summary, last 4 of 30 lines:',
      ...packages.slice(-4),
      '1 failure line:',
      '- FAIL\tx.io/p2\t0.01s',
    ]);
  });

  it('of a diff counts lines by file, even if a removed line looks like a header', () => {
    const text = [
      'diff --git a/src/a.ts b/src/a.ts',
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -1,3 +1,3 @@',
      ' const a = 1;',
      '--- old',
      '+++ new',
      ' end',
      'diff --git a/b.ts b/b.ts',
      '--- /dev/null',
      '+++ b/b.ts',
      '@@ -0,0 +1,2 @@',
      '+one',
      '+two',
    ].join('\n');
    expect(linesOf(text)).toEqual([
      'Diff of 2 files: 3 lines added, 1 removed',
      '- src/a.ts +1 -1',
      '- b.ts +2 -0',
    ]);
  });

  it('of a diff counts every Git file, including those without changed lines', () => {
    const text = [
      'diff --git a/old.ts b/src/new name.ts',
      'similarity index 100%',
      'rename from old.ts',
      'rename to src/new name.ts',
      'diff --git a/run me.sh b/run me.sh',
      'old mode 100644',
      'new mode 100755',
      'diff --git a/logo.png b/logo.png',
      'new file mode 100644',
      'index 0000000..1b2c3d4',
      'Binary files /dev/null and b/logo.png differ',
      'diff --git a/a.ts b/b.ts',
      'similarity index 90%',
      'rename from a.ts',
      'rename to b.ts',
      '--- a/a.ts',
      '+++ b/b.ts',
      '@@ -1,9 +1,9 @@',
      '-cut here',
      'diff --git a/gone.ts b/gone.ts',
      'deleted file mode 100644',
      '--- a/gone.ts',
      '+++ /dev/null',
      '@@ -1,2 +0,0 @@',
      '-one',
      '-two',
    ].join('\n');
    expect(linesOf(text)).toEqual([
      'Diff of 5 files: 0 lines added, 3 removed; 2 files renamed or copied; 1 binary file',
      '- src/new name.ts +0 -0, renamed from old.ts',
      '- run me.sh +0 -0, mode 100644 to 100755',
      '- logo.png, binary, new',
      '- b.ts +0 -1, renamed from a.ts',
      '- gone.ts +0 -2, deleted',
    ]);
  });

  it('of a diff of folders counts binary files in addition to those with lines', () => {
    const text = '--- x/a\n+++ y/a\n@@ -1 +1 @@\n-a\n+b\nBinary files x/i.png and y/i.png differ';
    expect(linesOf(text)).toEqual([
      'Diff of 2 files: 1 line added, 1 removed; 1 binary file',
      '- y/a +1 -1',
      '- y/i.png, binary',
    ]);
  });

  it('of matches counts them by file, and does not mistake times for paths', () => {
    const text = ['src/a.ts:3:x', 'src/a.ts:9:y', 'src/b.ts:1:x', '--', 'lib/c.ts-4-z'].join('\n');
    expect(linesOf(`${text}\nsrc/b.ts:7:x`)).toEqual([
      '4 matching lines in 2 files:',
      '- src/a.ts: 2',
      '- src/b.ts: 2',
    ]);
    expect(accountOf('12:34:56 a\n12:34:57 b\n12:34:58 c\n12:34:59 d', null)).toBe(null);
  });

  it("of matches and listings quotes the tool's own remarks", () => {
    const found = Array.from({ length: 60 }, (_, at) => `src/a.ts:${at + 1}:  return error(${at});`);
    expect(
      linesOf([...found, 'src/a.ts-61-}', '[Results truncated: 60 of 412 matches shown]'].join('\n')),
    ).toEqual([
      '60 matching lines in 1 file:',
      'Other lines:',
      '- [Results truncated: 60 of 412 matches shown]',
      'By file:',
      '- src/a.ts: 60',
    ]);
    expect(linesOf([...found, 'Truncated on 2026-01-02'].join('\n'))[2]).toBe('- Truncated on 2026-01-02');
    const notes = Array.from({ length: 6 }, (_, at) => `note ${at}`);
    expect(linesOf([...found, ...notes].join('\n')).slice(1, 6)).toEqual([
      'Other lines, 4 of 6:',
      '- note 0',
      '- note 1',
      '- note 4',
      '- note 5',
    ]);
    const paths = Array.from({ length: 20 }, (_, at) => `src/a${at}.ts`);
    expect(linesOf([...paths, '(Results are truncated.)'].join('\n'))).toEqual([
      'Listing of 20 paths:',
      '- .ts: 20',
      'Other lines:',
      '- (Results are truncated.)',
    ]);
  });

  it('of diagnostics counts their levels and quotes the first', () => {
    const lines = Array.from({ length: 10 }, (_, at) =>
      at < 2 ? `src/b.ts:${at + 1}:1: error No return` : `src/a.ts:${at}:5: warning Unexpected any`,
    );
    expect(linesOf([...lines, '10 problems'].join('\n'), 'bash')).toEqual([
      '10 diagnostic lines in 2 files, 2 errors and 8 warnings:',
      ...lines.slice(0, 3).map((line) => `- ${line}`),
      '- 7 lines more',
      'Other lines:',
      '- 10 problems',
      'By file:',
      '- src/a.ts: 8',
      '- src/b.ts: 2',
    ]);
    const head = (line: string) => linesOf(`${line}\n`.repeat(4))[0];
    expect(head('a.py:3: error: Missing return')).toBe(
      '4 diagnostic lines in 1 file, 4 errors and 0 warnings:',
    );
    expect(head('a.js:3:5: Unexpected any [Warning/no-any]')).toBe(
      '4 diagnostic lines in 1 file, 0 errors and 4 warnings:',
    );
    expect(head('./a.go:3:5: undefined: x')).toBe('4 diagnostic lines in 1 file:');
  });

  it('of results of a search names the first and counts all', () => {
    const results = Array.from({ length: 9 }, (_, at) => ({ title: `T${at}`, url: `https://e.x/${at}` }));
    const lines = linesOf(JSON.stringify({ query: 'deploy', results }));
    expect(lines[0]).toBe('9 results with a URL:');
    expect(lines[1]).toBe('- T0: https://e.x/0');
    expect(lines.at(-1)).toBe('- 4 results more');
  });

  it('of JSON names keys and counts items', () => {
    expect(linesOf(JSON.stringify([{ id: 1, at: 2 }, { id: 3 }, 4]))).toEqual([
      'JSON array of 3 items; item keys:',
      '- id: in 2',
      '- at: in 1',
    ]);
    expect(linesOf('{"a": [1, 2], "b": null, "c": "x"}')).toEqual([
      'JSON object with 3 keys:',
      '- a: array of 2',
      '- b: null',
      '- c: string',
    ]);
  });

  it('of a listing counts paths by ending', () => {
    const paths = [...Array.from({ length: 9 }, (_, at) => `src/a${at}.ts`), 'README.md', 'docs/', 'bin/x'];
    expect(linesOf(paths.join('\n'))).toEqual([
      'Listing of 12 paths:',
      '- .ts: 9',
      '- .md: 1',
      '- folders: 1',
      '- no extension: 1',
    ]);
  });

  it('of a long listing distinguishes folders and links from files', () => {
    const long = (mode: string, name: string) => `${mode} 2 me me 4096 Jan  5 12:00 ${name}`;
    const files = Array.from({ length: 6 }, (_, at) => long('-rw-r--r--', `a${at}.ts`));
    const folders = ['.', '..', 'src', 'conf.d'].map((name) => long('drwxr-xr-x', name));
    const text = ['total 4.0K', ...folders, ...files, long('lrwxrwxrwx', 'now -> src')].join('\n');
    expect(linesOf(text)).toEqual(['Listing of 9 paths:', '- .ts: 6', '- folders: 2', '- links: 1']);
  });

  it('of a command states its length, exit status, error lines and last lines', () => {
    const text = `${'step done\n'.repeat(50)}npm warn old\nexit code: 1\nbye\n`;
    expect(linesOf(text, 'bash')).toEqual([
      'Output of 53 non-empty lines',
      'exit code: 1',
      '1 line with errors or warnings:',
      '- npm warn old',
      'Last lines:',
      'npm warn old',
      'exit code: 1',
      'bye',
    ]);
    expect(accountOf('nothing to say', 'query')).toBe(null);
  });

  it('of a command does not count lines that deny errors', () => {
    const text = 'no error: found\n0 errors, 0 warnings\n3 errors, 0 warnings\nok\nbye';
    expect(linesOf(text, 'bash').slice(0, 3)).toEqual([
      'Output of 5 non-empty lines',
      '1 line with errors or warnings:',
      '- 3 errors, 0 warnings',
    ]);
  });

  it('is deterministic, short, without split characters, and quotes existing lines', () => {
    const word = fc.constantFrom(
      'src/a.ts:1:',
      '+',
      '-',
      '{"a":',
      '[1,',
      'FAIL x',
      '\ud83d\ude80',
      'error',
      ' ',
      '\n',
    );
    const text = fc.array(word, { maxLength: 400 }).map((words) => words.join(''));
    void fc.assert(
      fc.property(text, fc.constantFrom('bash', 'read', null), (said, tool) => {
        const account = accountOf(said, tool);
        expect(accountOf(said, tool)).toBe(account);
        if (account === null) return;
        expect(account.length).toBeLessThanOrEqual(1200);
        expect(/\p{Surrogate}/u.test(account)).toBe(/\p{Surrogate}/u.test(said));
      }),
      { numRuns: 300 },
    );
  });
});
