// Decides from its result how a call ended. A flag of the message format is authoritative. Without one, a result counts
// as a failure only by its form (a JSON verdict, an exit code, a short text that starts like an error) and as a success
// only if it says so; otherwise the outcome is unknown.

import { INTERRUPTED, keptIn } from '../archive/placeholder.ts';
import type { Item } from '../codecs/message.ts';

export type Outcome = 'done' | 'failed' | 'unknown';

/** Longer JSON is treated as content. */
const LONGEST_VERDICT = 2000;
/** Longer text that starts like an error is treated as content. */
const LONGEST_MESSAGE = 600;

/** First words of failure reports by runtimes, shells and agents. */
const ERROR_LINE =
  /^(?:<(?:tool_use_)?error\b|\[Request interrupted by user|\W{0,3}(?:error|fatal|failed|failure|\w+(?:Error|Exception))(?: [\w-]+){0,4}:|Traceback \(most recent call last\)|permission denied\b|(?:[a-z_]\w* ){1,3}failed:|command timed out after \d)/i;
/** Node's error codes for system calls, such as `EACCES`. */
const ERRNO = /\bE[A-Z]{3,}:/;
/** Lines that Codex and Claude Code put before a command's output. */
const EXIT_CODE =
  /^(?:(?:Chunk ID|Wall time|Total output lines|Original token count): [^\n]{0,80}\n){0,4}(?:(?:Process )?exited with code|exit (?:code|status)):? (-?\d{1,10})\s*(?:\n|$)/i;

const DONE =
  /^\W*(?:ok|done|success)\b|\b(?:successfully|succeeded|wrote|written|saved|created|updated|edited|applied|replaced|inserted|appended|deleted|removed|moved|renamed|overwrote|overwritten|[1-9]\d* files? changed)\b/i;
/** Words that leave open whether a write was completed, even next to a word of `DONE`. */
const IN_DOUBT =
  /\b(?:errors?|fail\w*|cannot|not|nothing|unable|invalid|denied|reject\w*|refus\w*|declin\w*|abort\w*|cancel\w*|no (?:changes?|match(?:es)?|replacements?|edits?|occurrences?|such|effect)|0|zero|conflicts?|missing|already|dry run|would|will|could|can|be|if|before|since|please|pending|awaiting|proposed|must|retry|partial\w*|revert\w*|rolled back)\b|n['’]t\b|[❌✗⛔🚫]/iu;
const NO_ERRORS =
  /\b(?:no|0|zero|without(?: any)?) (?:\w+ )?(?:errors?|fail(?:ed|ures?)|skipped|conflicts?|warnings?|issues?|problems?)\b/gi;
/** Quoted words, code, paths and dotted names: they describe the file, not the outcome. */
const NAMED = /`[^`\n]*`|"[^"\n]*"|'[^'\n]{2,}'|\S*[/\\]\S*|\b[\w-]+(?:\.[\w-]+)+\b/g;

/** Fields that state how a call ended. */
const VERDICTS = ['success', 'ok', 'succeeded', 'applied', 'written'];
const EXITS = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exit_status'];
const DONE_STATUS = /^(?:ok|success|succeeded|completed|done|written|saved|created|updated)$/i;
/** Fields that describe an error. Any other non-empty field is content the tool was asked for. */
const ABOUT =
  /^(?:error\w*|is_?error|status_?(?:code|text)?|code|errno|type|name|message|msg|details?|reason|hint|path|stack|traceback)$/i;
/** Fields in which a JSON wrapper holds the tool's text. */
const WRAPS = ['result', 'output', 'content', 'message', 'text'];

type Fields = Readonly<Record<string, unknown>>;

/** How the call of `result` ended. */
export function outcomeOf(result: Item): Outcome {
  if (result.isError || result.text === INTERRUPTED) return 'failed';
  if (result.isDone) return 'done';
  const before = known.get(result);
  if (before) return before;
  const outcome = saidBy(toolText(result));
  known.set(result, outcome);
  return outcome;
}

/** Cached while the result is alive, because every tier asks. */
const known = new WeakMap<Item, Outcome>();

/**
 * Whether a short result reports a failed write or leaves its outcome unclear; the call must then not look successful.
 */
export function isUndone(result: Item): boolean {
  const outcome = outcomeOf(result);
  if (outcome !== 'unknown') return outcome === 'failed';
  const { length } = toolText(result);
  return length > 0 && length <= LONGEST_MESSAGE;
}

/** The tool's text, without a placeholder line before it. */
const toolText = ({ text }: Item): string => (keptIn(text)?.body ?? text).trim();

function saidBy(text: string): Outcome {
  const json = jsonIn(text);
  if (json !== null) return verdictOf(json);
  const [header, code] = EXIT_CODE.exec(text) ?? [];
  if (header !== undefined) return Number(code) === 0 ? 'done' : 'failed';
  if (text.length <= LONGEST_MESSAGE && (ERROR_LINE.test(text) || text.search(ERRNO) === 0)) return 'failed';
  const line = text.slice(0, LONGEST_MESSAGE).split(/[\r\n]/, 1)[0] ?? '';
  const plain = withoutDenials(line.replace(NAMED, ' '));
  return DONE.test(plain) && !IN_DOUBT.test(plain) && !ERRNO.test(plain) ? 'done' : 'unknown';
}

/** A line without phrases that deny errors (`0 errors`); if it still mentions errors, it reports them. */
export const withoutDenials = (line: string): string => line.replace(NO_ERRORS, ' ');

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

function verdictOf(fields: Fields): Outcome {
  if (fields['isError'] === true || fields['is_error'] === true) return 'failed';
  // Codex puts a patch's exit code next to its output.
  const codes = [fields, fieldsOf(fields['metadata']) ?? {}].flatMap((of) => EXITS.map((name) => of[name]));
  const code = codes.find((value) => typeof value === 'number');
  if (code !== undefined) return code === 0 ? 'done' : 'failed';
  const verdicts = VERDICTS.map((name) => fields[name]).filter((value) => value !== undefined);
  const said = wrapped(fields);
  if (verdicts.includes(true)) return said === 'failed' ? 'unknown' : 'done';
  const { error, errors, status, type } = fields;
  const tells =
    hasValue(error) || hasValue(errors) || [status, type].includes('error') || verdicts.includes(false);
  const others = Object.keys(fields).filter((name) => hasValue(fields[name]) && !ABOUT.test(name));
  if (tells && others.length === 0) return 'failed';
  if (said !== 'unknown' && others.every((name) => WRAPS.includes(name))) return said;
  const isDone = typeof status === 'string' && DONE_STATUS.test(status);
  return isDone && !tells && verdicts.length === 0 ? 'done' : 'unknown';
}

const hasValue = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** The outcome stated by the text inside a wrapper, including MCP content lists. */
function wrapped(fields: Fields): Outcome {
  const name = WRAPS.find((one) => hasValue(fields[one]));
  const value = name === undefined ? null : fields[name];
  const text = Array.isArray(value) ? fieldsOf(value[0])?.['text'] : value;
  return typeof text === 'string' && !/^[{[]/.test(text) ? saidBy(text.trim()) : 'unknown';
}
