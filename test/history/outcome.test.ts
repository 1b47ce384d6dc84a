// Which results say that their call failed, in the words of tools, shells and agents in use.

import { describe, expect, it } from 'vitest';
import { item } from '../../src/history/message.ts';
import { isFailure, isUndone } from '../../src/history/outcome.ts';
import { INTERRUPTED } from '../../src/history/placeholder.ts';

const result = (text: string, isError = false) => item('result', { callId: 'a', text, isError });

const DONE = [
  '',
  'ok',
  'Edited `src/app.ts` at line 3; it has 3009 bytes now.',
  'Successfully wrote 3009 bytes to src/errors/not-found.ts',
  'Successfully replaced text in "cannot-fail.ts".',
  'The file /repo/src/denied.ts has been edited. Here\'s the result of running `cat -n` on a snippet of it:\n     1\tthrow new Error("not found");',
  'The file D:\\src\\failed.go has been updated successfully. (file state is current in your context — no need to read it back)',
  'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nM src/errors.ts\n',
  '{"output":"Success. Updated the following files:\\nM src/app.ts\\n","metadata":{"exit_code":0}}',
  '{"success":true,"path":"src/app.ts"}',
  '{"status":"ok","error":null}',
  'Written. 0 errors, no warnings.',
  'Fichier enregistré.',
];

const FAILED = [
  INTERRUPTED,
  "EACCES: permission denied, open '/repo/src/app.ts'",
  "Error: EACCES: permission denied, open '/repo/src/app.ts'",
  'ERROR:\nNo replacement was performed, old_str did not appear verbatim.',
  '<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>',
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).",
  'The user denied this operation.',
  'User rejected the changes.',
  'apply_patch verification failed: Failed to find expected lines in /repo/src/app.ts',
  'Could not find the exact text in src/app.ts. The old text must match exactly.',
  'Exit code: 1\nWall time: 0.1 seconds\nOutput:\nbash: syntax',
  'Process exited with code 2',
  'Traceback (most recent call last):\n  File "x.py", line 1',
  'Command timed out after 120000 ms',
  '[Request interrupted by user for tool use]',
  '{"error":"disk full"}',
  '{"error":{"code":"ENOSPC"}}',
  '{"success":false}',
  '{"is_error":true,"content":"x"}',
  '{"status":"denied","message":"The user denied this operation."}',
  '{"output":"","metadata":{"exit_code":1}}',
  '{"content":[{"type":"text","text":"x"}],"isError":true}',
];

/** Of a write nothing is told as done; of a read these may be what was read. */
const IN_DOUBT = [
  'Your proposed edit has introduced new syntax error(s). Please understand the fixes and retry.',
  'No changes made to src/app.ts. The replacement produced identical content.',
  'Found 3 occurrences of the text; it must be unique.',
  'old_string was not in the file',
  'The tool was not run.',
  'Queued, pending approval.',
  'Would write 3009 characters (dry run).',
  'src/app.ts is open elsewhere: EBUSY',
  '❌ src/app.ts',
  '写入失败',
  'Schreiben fehlgeschlagen: src/app.ts',
];

describe('a result', () => {
  it.each(DONE)('does not say that a write failed: %s', (text) => {
    expect(isFailure(result(text))).toBe(false);
    expect(isUndone(result(text))).toBe(false);
  });

  it.each(FAILED)('says of any call that it failed: %s', (text) => {
    expect(isFailure(result(text))).toBe(true);
    expect(isUndone(result(text))).toBe(true);
  });

  it.each(IN_DOUBT)('leaves a write in doubt: %s', (text) => {
    expect(isFailure(result(text))).toBe(false);
    expect(isUndone(result(text))).toBe(true);
  });

  it('that is marked as an error failed whatever it says', () => {
    expect(isFailure(result('ok', true))).toBe(true);
  });

  it('that is long content is no failure for words in it', () => {
    const log = `error handling, in short\n${'It cannot fail, not even once.\n'.repeat(100)}`;
    expect(isFailure(result(log))).toBe(false);
    expect(isFailure(result(`${'x'.repeat(3000)} {"error":1}`))).toBe(false);
  });

  it('that was cut on arrival counts by what is left of it', () => {
    const cut = '[history: cut, kept the first ~20 of ~9000 tokens]\nError: disk full';
    expect(isFailure(result(cut))).toBe(true);
    expect(isFailure(result('[history: result of edit left out, ~90 tokens]'))).toBe(false);
  });
});
