// Decides from its result whether a call failed. A flag of the message format is authoritative. Without one, only the form
// of the result counts: a JSON verdict, an exit code, a short text that starts like an error.

import { INTERRUPTED, keptIn } from '../archive/placeholder.ts';
import type { Item } from '../codecs/message.ts';
import { argumentsOf, nativeOf } from '../codecs/native.ts';

/** Longer texts are content, even if they start like an error or are JSON with an `error`. */
const LONGEST_MESSAGE = 600;
const LONGEST_VERDICT = 2000;

/** First words of failure reports by runtimes, shells and agents; Node's error codes, such as `EACCES`. */
const ERROR_LINE =
  /^(?:<(?:tool_use_)?error\b|\[Request interrupted by user|\W{0,3}(?:error|fatal|failed|failure|\w+(?:Error|Exception))(?: [\w-]+){0,4}:|Traceback \(most recent call last\)|permission denied\b|(?:[a-z_]\w* ){1,3}failed:|command timed out after \d|E[A-Z]{3,}:)/i;
/** Lines that Codex and Claude Code put before a command's output. */
const EXIT_CODE =
  /^(?:(?:Chunk ID|Wall time|Total output lines|Original token count): [^\n]{0,80}\n){0,4}(?:(?:Process )?exited with code|exit (?:code|status)):? (-?\d{1,10})\s*(?:\n|$)/i;
const EXITS = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exit_status'];
const VERDICTS = ['success', 'ok', 'succeeded', 'applied', 'written'];
/** Fields beside an error; any other is content the tool was asked for. */
const ABOUT =
  /^(?:error\w*|is_?error|status_?(?:code|text)?|code|errno|type|name|message|msg|details?|reason|hint|path|stack|traceback)$/i;

/** Cached while the result is alive, because every tier asks. */
const known = new WeakMap<Item, boolean>();

/** Whether the call of `result` failed. */
export function hasFailed(result: Item): boolean {
  if (result.isError || result.text === INTERRUPTED) return true;
  if (result.isDone) return false;
  const before = known.get(result);
  if (before !== undefined) return before;
  // Without a placeholder line before it.
  const failed = saysFailed((keptIn(result.text)?.body ?? result.text).trim());
  known.set(result, failed);
  return failed;
}

function saysFailed(text: string): boolean {
  const fields = text.length <= LONGEST_VERDICT ? argumentsOf(text) : null;
  if (fields) {
    // Codex puts a patch's exit code next to its output.
    const codes = [fields, nativeOf(fields['metadata'])].flatMap((of) => EXITS.map((name) => of?.[name]));
    const code = codes.find((value) => typeof value === 'number');
    if (code !== undefined) return code !== 0;
    if (fields['isError'] === true || fields['is_error'] === true) return true;
    const verdicts = VERDICTS.map((name) => fields[name]);
    const tells =
      fields['error'] || [fields['status'], fields['type']].includes('error') || verdicts.includes(false);
    const isAbout = Object.keys(fields).every((name) => ABOUT.test(name) || !fields[name]);
    return Boolean(tells) && isAbout && !verdicts.includes(true);
  }
  const code = EXIT_CODE.exec(text)?.[1];
  if (code !== undefined) return Number(code) !== 0;
  return text.length <= LONGEST_MESSAGE && ERROR_LINE.test(text);
}
