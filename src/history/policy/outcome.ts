// Decides from its result whether a call failed. A flag of the message format is authoritative. Without one, only the form
// of the result counts: a JSON verdict, an exit code, a short text that starts like an error.

import { INTERRUPTED, keptIn } from '../archive/placeholder.ts';
import type { Item } from '../codecs/message.ts';

/** Longer JSON is treated as content. */
const LONGEST_VERDICT = 2000;
/** Longer text that starts like an error is treated as content. */
export const LONGEST_MESSAGE = 600;

/** First words of failure reports by runtimes, shells and agents. */
const ERROR_LINE =
  /^(?:<(?:tool_use_)?error\b|\[Request interrupted by user|\W{0,3}(?:error|fatal|failed|failure|\w+(?:Error|Exception))(?: [\w-]+){0,4}:|Traceback \(most recent call last\)|permission denied\b|(?:[a-z_]\w* ){1,3}failed:|command timed out after \d)/i;
/** Node's error codes for system calls, such as `EACCES`. */
const ERRNO = /^E[A-Z]{3,}:/;
/** Lines that Codex and Claude Code put before a command's output. */
const EXIT_CODE =
  /^(?:(?:Chunk ID|Wall time|Total output lines|Original token count): [^\n]{0,80}\n){0,4}(?:(?:Process )?exited with code|exit (?:code|status)):? (-?\d{1,10})\s*(?:\n|$)/i;

/** Fields that state how a call ended. */
const VERDICTS = ['success', 'ok', 'succeeded', 'applied', 'written'];
const EXITS = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exit_status'];
/** Fields that describe an error. Any other non-empty field is content the tool was asked for. */
const ABOUT =
  /^(?:error\w*|is_?error|status_?(?:code|text)?|code|errno|type|name|message|msg|details?|reason|hint|path|stack|traceback)$/i;
/** Fields in which a JSON wrapper holds the tool's text. */
const WRAPS = ['result', 'output', 'content', 'message', 'text'];

type Fields = Readonly<Record<string, unknown>>;

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
  const json = jsonIn(text);
  if (json !== null) return isFailure(json);
  const [, code] = EXIT_CODE.exec(text) ?? [];
  if (code !== undefined) return Number(code) !== 0;
  return text.length <= LONGEST_MESSAGE && (ERROR_LINE.test(text) || ERRNO.test(text));
}

function jsonIn(text: string): Fields | null {
  if (!/^[{[]/.test(text) || text.length > LONGEST_VERDICT) return null;
  try {
    const value: unknown = JSON.parse(text);
    return fieldsOf(Array.isArray(value) ? { content: value } : value);
  } catch {
    return null;
  }
}

/** A JSON value as an object with readable fields. */
const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null ? { ...value } : null;

function isFailure(fields: Fields): boolean {
  if (fields['isError'] === true || fields['is_error'] === true) return true;
  // Codex puts a patch's exit code next to its output.
  const codes = [fields, fieldsOf(fields['metadata']) ?? {}].flatMap((of) => EXITS.map((name) => of[name]));
  const code = codes.find((value) => typeof value === 'number');
  if (code !== undefined) return code !== 0;
  const verdicts = VERDICTS.map((name) => fields[name]);
  if (verdicts.includes(true)) return false;
  const { error, errors, status, type } = fields;
  const tells =
    hasValue(error) || hasValue(errors) || [status, type].includes('error') || verdicts.includes(false);
  const others = Object.keys(fields).filter((name) => hasValue(fields[name]) && !ABOUT.test(name));
  if (others.length === 0) return tells || wraps(fields);
  return others.every((name) => WRAPS.includes(name)) && wraps(fields);
}

const hasValue = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** Whether the text inside a wrapper, including MCP content lists, reports a failure. */
function wraps(fields: Fields): boolean {
  const name = WRAPS.find((one) => hasValue(fields[one]));
  const value = name === undefined ? null : fields[name];
  const text = Array.isArray(value) ? fieldsOf(value[0])?.['text'] : value;
  return typeof text === 'string' && !/^[{[]/.test(text) && saysFailed(text.trim());
}
