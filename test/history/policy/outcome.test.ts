// Failed calls, told from real results of tools, shells and agents.

import { describe, expect, it } from 'vitest';
import { INTERRUPTED } from '../../../src/history/archive/placeholder.ts';
import { anthropic } from '../../../src/history/codecs/anthropic.ts';
import { item } from '../../../src/history/codecs/message.ts';
import { hasFailed } from '../../../src/history/policy/outcome.ts';

const result = (text: string, marks: { isError?: boolean; isDone?: boolean } = {}) =>
  item('result', { callId: 'a', text, ...marks });

const FAILED = [
  INTERRUPTED,
  "EACCES: permission denied, open '/repo/src/app.ts'",
  "Error: EACCES: permission denied, open '/repo/src/app.ts'",
  'Error executing tool write_file: disk full',
  'ERROR:\nNo replacement was performed, old_str did not appear verbatim.',
  'TypeError: x is not a function',
  '<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>',
  '[Request interrupted by user for tool use]',
  'apply_patch verification failed: Failed to find expected lines in /repo/src/app.ts',
  'Exit code: 1\nWall time: 0.1 seconds\nOutput:\nbash: syntax',
  'Exit code 1\npatch failed',
  'Chunk ID: 4f1e\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n',
  'Process exited with code 2',
  'Traceback (most recent call last):\n  File "x.py", line 1',
  'Command timed out after 120000 ms',
  '{"error":"disk full"}',
  '{"error":{"code":"ENOSPC"}}',
  '{"error":"disk full","path":"a.ts"}',
  '{"success":false}',
  '{"success":false,"message":"old text is not unique"}',
  '{"is_error":true,"content":"x"}',
  '{"type":"error","message":"x"}',
  '{"output":"","metadata":{"exit_code":1}}',
  '{"exit_code":2,"stdout":"x"}',
  '{"content":[{"type":"text","text":"x"}],"isError":true}',
];

/** Successes, results that state no outcome, and content of reads. */
const OTHERS = [
  'ok',
  'OK: 120 lines',
  'Done!',
  'File written.',
  'Edited `src/app.ts` at line 3; it has 3009 bytes now.',
  'Successfully wrote 3009 bytes to src/errors/not-found.ts',
  'Successfully replaced text in "cannot-fail.ts".',
  'Applied edit to Error.ts',
  'Wrote 3009 characters to src/app.ts',
  'File created successfully at: /src/app.ts',
  '1 file changed, 0 failed',
  'Saved 1 file, 0 skipped',
  'Applied patch cleanly, no conflicts',
  'The file /repo/src/denied.ts has been edited. Here\'s the result of running `cat -n` on a snippet of it:\n     1\tthrow new Error("not found");',
  'The file D:\\src\\failed.go has been updated successfully. (file state is current in your context — no need to read it back)',
  'Success. Updated the following files:\nM src/app.ts',
  'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nM src/errors.ts\n',
  '{"output":"Success. Updated the following files:\\nM src/app.ts\\n","metadata":{"exit_code":0}}',
  '{"success":true,"path":"src/app.ts"}',
  '{"success":true,"error":0}',
  '{"success":true,"warnings":["x"],"errors":["lint: unused"]}',
  '{"status":"ok","error":null}',
  '{"status":"ok","errors":[]}',
  '{"result":"Wrote 3009 characters."}',
  '{"content":[{"type":"text","text":"File written."}]}',
  'Written. 0 errors, no warnings.',
  'Your proposed edit has introduced new syntax error(s). Please understand the fixes and retry.',
  'No changes made to src/app.ts. The replacement produced identical content.',
  'Found 3 occurrences of the text; it must be unique.',
  'Old text appears 2 times in the file',
  'The old_string matched 3 places',
  'old_string was not in the file',
  '0 replacements made',
  'Replaced 0 occurrences',
  'Could not find the exact text in src/app.ts. The old text must match exactly.',
  "The user doesn't want to proceed with this tool use. The tool use was rejected.",
  'The user denied this operation.',
  'The tool was not run.',
  'Queued, pending approval.',
  'Would write 3009 characters (dry run).',
  'File has been modified since read',
  'File is read only',
  'You need to read the file first',
  'Please read the file before editing',
  'No space left on device',
  'Disk full',
  'Quota exceeded',
  'Path outside of workspace',
  'Request was blocked by policy',
  'Skipping: file exists',
  'bash: src/app.ts: Is a directory',
  'Edit applied; you must restart the server.',
  'File updated. Diagnostics: 3 errors in other files',
  'The content was saved. You do not need to read it again.',
  'patching file src/app.ts\nHunk #1 FAILED at 3.\n1 out of 1 hunk FAILED',
  'Applying edit to src/app.ts\nError: string not found',
  'src/app.ts is open elsewhere: EBUSY',
  '❌ src/app.ts',
  '写入失败',
  'Zugriff verweigert',
  'Fichier enregistré.',
  '{"status":403,"statusText":"Forbidden"}',
  '{"success":"false"}',
  '{"replacements":0}',
  '{"status":"ok","applied":false,"files":2}',
  '{"ok":true,"message":"Error: EACCES"}',
  // Answers of reads and queries.
  '{"reservation_id":"GV1N64","status":"cancelled"}',
  '{"id":1,"status":"incomplete","title":"buy milk"}',
  '{"ok":false,"feature":"beta"}',
  '{"name":"x","failed":true}',
  '{"rejected":true}',
  '{"error":"Fehler","ok":"Gut"}',
  '{"items":[1,2],"errors":["none"]}',
  '#!/bin/sh\nset -e\n[ -f x ] || exit 1\necho hello\n',
  'src/main.sh:10: exit 1\nsrc/b.sh:3: exit 2',
  `2024 job exit code 3\n${'fine line\n'.repeat(9)}`,
  'Error handling guide\n\nUse try.',
  'Timeout: 30\nretries: 3',
  'Invalid entries are listed below.\n1\n2',
  'Cancelled orders are kept 30 days.',
  'Cannot live on bread alone',
  'abort: never\n',
];

describe('a result', () => {
  it.each(FAILED)('reports a failure: %s', (text) => expect(hasFailed(result(text))).toBe(true));

  it.each(OTHERS)('reports none: %s', (text) => expect(hasFailed(result(text))).toBe(false));

  it('a flag of the format takes precedence over the text', () => {
    expect(hasFailed(result('ok', { isError: true }))).toBe(true);
    expect(hasFailed(result('Error: x', { isDone: true }))).toBe(false);
    const block = (is_error: boolean) => ({
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: 'a', content: '{"error":"x"}', is_error }],
    });
    const failed = [true, false].map((mark) => anthropic.view(block(mark)).items.map(hasFailed));
    expect(failed).toEqual([[true], [false]]);
  });

  it('words in long content are not a failure', () => {
    const log = `Error: in short\n${'It cannot fail, not even once.\n'.repeat(100)}`;
    expect(hasFailed(result(log))).toBe(false);
    expect(hasFailed(result(`${'x'.repeat(3000)} {"error":1}`))).toBe(false);
  });

  it('a result truncated on arrival counts by the text that is left', () => {
    const cut = '[history: cut, kept the first ~20 of ~9000 tokens]\nError: disk full';
    expect(hasFailed(result(cut))).toBe(true);
    expect(hasFailed(result('[history: result of edit left out, ~90 tokens]'))).toBe(false);
  });
});
