// How a call ended, by its result. A mark of the format decides. Without one, a result is a failure only by its form (a JSON
// verdict, an exit code, a short text that begins as an error), and a success only where it says so; all else is unknown.

import { INTERRUPTED, keptIn } from '../archive/placeholder.ts';
import type { Item } from '../codecs/message.ts';

export type Outcome = 'done' | 'failed' | 'unknown';

/** Longer JSON is content. */
const LONGEST_VERDICT = 2000;
/** A longer text that begins like an error is content. */
const LONGEST_MESSAGE = 600;

/** How runtimes, shells and agents begin the report of a failure. */
const ERROR_LINE =
  /^(?:<(?:tool_use_)?error\b|\[Request interrupted by user|\W{0,3}(?:error|fatal|failed|failure|\w+(?:Error|Exception))(?: [\w-]+){0,4}:|Traceback \(most recent call last\)|permission denied\b|(?:[a-z_]\w* ){1,3}failed:|command timed out after \d)/i;
/** `EACCES` and its like, as Node names what a system refused. */
const ERRNO = /\bE[A-Z]{3,}:/;
/** The lines that Codex and Claude Code put before the output of a command. */
const EXIT_CODE =
  /^(?:(?:Chunk ID|Wall time|Total output lines|Original token count): [^\n]{0,80}\n){0,4}(?:(?:Process )?exited with code|exit (?:code|status)):? (-?\d{1,10})\s*(?:\n|$)/i;

const DONE =
  /^\W*(?:ok|done|success)\b|\b(?:successfully|succeeded|wrote|written|saved|created|updated|edited|applied|replaced|inserted|appended|deleted|removed|moved|renamed|overwrote|overwritten|[1-9]\d* files? changed)\b/i;
/** Words that leave it open whether all of a write was made, although one of `DONE` stands beside them. */
const IN_DOUBT =
  /\b(?:errors?|fail\w*|cannot|not|nothing|unable|invalid|denied|reject\w*|refus\w*|declin\w*|abort\w*|cancel\w*|no (?:changes?|match(?:es)?|replacements?|edits?|occurrences?|such|effect)|0|zero|conflicts?|missing|already|dry run|would|will|could|can|be|if|before|since|please|pending|awaiting|proposed|must|retry|partial\w*|revert\w*|rolled back)\b|n['’]t\b|[❌✗⛔🚫]/iu;
const NO_ERRORS =
  /\b(?:no|0|zero|without(?: any)?) (?:\w+ )?(?:errors?|fail(?:ed|ures?)|skipped|conflicts?|warnings?|issues?|problems?)\b/gi;
/** Quoted words, code, paths and names with dots: they are of the file, not of the outcome. */
const NAMED = /`[^`\n]*`|"[^"\n]*"|'[^'\n]{2,}'|\S*[/\\]\S*|\b[\w-]+(?:\.[\w-]+)+\b/g;

/** Fields that say how a call ended. */
const VERDICTS = ['success', 'ok', 'succeeded', 'applied', 'written'];
const EXITS = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exit_status'];
const DONE_STATUS = /^(?:ok|success|succeeded|completed|done|written|saved|created|updated)$/i;
/** Fields that tell of an error. Any other with a value is what the tool was asked for. */
const ABOUT =
  /^(?:error\w*|is_?error|status_?(?:code|text)?|code|errno|type|name|message|msg|details?|reason|hint|path|stack|traceback)$/i;
/** Where a wrapper in JSON has the text of the tool. */
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

/** What results say, while somebody holds them: every tier asks. */
const known = new WeakMap<Item, Outcome>();

/** Says that a write was not made, or says nothing clear about it in few words: then the call must not read as done. */
export function isUndone(result: Item): boolean {
  const outcome = outcomeOf(result);
  if (outcome !== 'unknown') return outcome === 'failed';
  const { length } = toolText(result);
  return length > 0 && length <= LONGEST_MESSAGE;
}

/** The text of the tool, without a line of ours before it. */
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

/** A line without the words that deny errors (`0 errors`): what still names one tells of it. */
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

/** A value of JSON as an object whose fields may be asked for. */
const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null ? { ...value } : null;

function verdictOf(fields: Fields): Outcome {
  if (fields['isError'] === true || fields['is_error'] === true) return 'failed';
  // Codex gives the exit code of a patch beside its output.
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

/** What the text inside a wrapper says, also inside the list of contents that MCP gives. */
function wrapped(fields: Fields): Outcome {
  const name = WRAPS.find((one) => hasValue(fields[one]));
  const value = name === undefined ? null : fields[name];
  const text = Array.isArray(value) ? fieldsOf(value[0])?.['text'] : value;
  return typeof text === 'string' && !/^[{[]/.test(text) ? saidBy(text.trim()) : 'unknown';
}
