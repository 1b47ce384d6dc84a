// Whether the result of a call says that the call failed. Formats without a mark for errors have only the text, so this looks
// at texts: a failure that it does not know is taken for a success, a success in doubtful words for a failure.

import type { Item } from './message.ts';
import { INTERRUPTED, keptIn } from './placeholder.ts';

/** Characters of a result that are looked at: what says how a call ended says so at once. */
const MOST_LOOKED_AT = 2000;
/** A longer text that begins like an error is content that was asked for. */
const LONGEST_MESSAGE = 600;

/** How tools, shells and agents begin the answer to a call that failed. */
const BEGINS_FAILED =
  /^[^\w<]*(?:<(?:tool_use_)?error\b|(?:\w+ )?error\b|\w*(?:Error|Exception)\b|traceback\b|fail(?:ed|ure)\b|fatal\b|permission denied|access (?:is )?denied|denied\b|reject(?:ed|ion)\b|refused\b|no such\b|(?:\w+ )?not found\b|cannot\b|can['’]t\b|could ?n[o'’]t\b|unable to\b|invalid\b|(?:the )?(?:user|operator)\b.{0,40}(?:n['’]t\b|not\b|denied|reject|declin|refus|cancel|abort|interrupt)|(?:command|process|tool|operation|request|patch|call)\b.{0,60}(?:failed|denied|rejected|declined|refused|cancell?ed|aborted|interrupted|timed out)|(?:[a-z_][\w.-]* ){1,4}failed:|execution[ -]denied|interrupted\b|abort(?:ed)?\b|cancell?ed\b|tim(?:ed ?|e)out\b)/i;
/** An exit status other than 0, on one of the first lines. */
const BAD_EXIT = /^[^\n]{0,40}\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return ?code)[ :=]+-?[1-9]\d*\b/im;

/** Words of an answer that a write was not made, or only in part, or not yet. */
const NOT_DONE =
  /\b(?:errors?|exceptions?|traceback|fail\w*|cannot|not|nothing|unable|invalid|denied|reject\w*|refus\w*|declin\w*|forbidden|disallowed|no (?:changes?|match(?:es)?|replacements?|edits?|occurrences?|such|effect)|multiple|ambiguous|abort\w*|cancel\w*|interrupt\w*|time(?:d )?out|conflicts?|missing|unknown|unsupported|skipped|ignored|already exists|dry run|would|pending|awaiting|approval|proposed|must|retry|try again|revert\w*|rolled back|read-only)\b|n['’]t\b|[❌✗⛔🚫]|失败|失敗|错误|錯誤|エラー|拒否|拒绝|오류|실패|ошибк|erreur|échec|refusé|fehler|fehlgeschlagen|abgelehnt|fallo|rechazad|denegad|falha|recusad/iu;
/** `EACCES` and its like, as Node names what a system refused. */
const ERRNO = /\bE[A-Z]{3,}\b/;
const NO_ERRORS =
  /\b(?:no|0|zero|without(?: any)?) (?:\w+ )?(?:errors?|failures?|conflicts?|warnings?|issues?|problems?)\b/gi;
/** Quoted words, code, paths and names with dots: they are of the file, not of the outcome. */
const NAMED = /`[^`\n]*`|"[^"\n]*"|'[^'\n]{2,}'|\S*[/\\]\S*|\b[\w-]+(?:\.[\w-]+)+\b/g;

const BAD_STATUS =
  /^(?:error|errored|fail(?:ed|ure)?|denied|rejected|declined|cancell?ed|aborted|timeout|timed_out|incomplete)$/i;
const FLAGS = ['is_error', 'isError', 'failed', 'denied', 'rejected', 'cancelled', 'canceled'];
const VERDICTS = ['success', 'ok', 'succeeded', 'applied', 'written'];
const EXITS = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exit_status'];

/** Says that the call failed: by the mark of its format, or as tools word it. */
export function isFailure(result: Item): boolean {
  return result.isError || begins(saidBy(result));
}

/** As `isFailure`, of a call that was to change something: it also holds where a short answer is in doubt. */
export function isUndone(result: Item): boolean {
  if (isFailure(result)) return true;
  const text = saidBy(result);
  if (text.startsWith('{') || text.startsWith('[')) return false;
  const plain = firstLine(text).replace(NAMED, ' ').replace(NO_ERRORS, ' ');
  return NOT_DONE.test(plain) || ERRNO.test(plain);
}

/** The text of the tool, without a line of ours before it. */
function saidBy({ text }: Item): string {
  if (text === INTERRUPTED) return 'interrupted';
  return (keptIn(text)?.body ?? text).slice(0, MOST_LOOKED_AT).trim();
}

function firstLine(text: string): string {
  const end = text.search(/[\r\n]/);
  return end < 0 ? text : text.slice(0, end);
}

function begins(text: string): boolean {
  const verdict = verdictIn(text);
  if (verdict !== null) return verdict;
  if (BAD_EXIT.test(text.split('\n', 4).join('\n'))) return true;
  if (text.length > LONGEST_MESSAGE) return false;
  return BEGINS_FAILED.test(text) || text.search(ERRNO) === 0;
}

/** What a short JSON object says of its outcome; null for other texts. */
function verdictIn(text: string): boolean | null {
  if (!text.startsWith('{') || text.length >= MOST_LOOKED_AT) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  // An object of JSON: any field may be asked for.
  return failedBy(value as Record<string, unknown>);
}

function failedBy(fields: Readonly<Record<string, unknown>>): boolean {
  const { error, errors, status, metadata } = fields;
  if (error !== undefined && error !== null && error !== false && error !== '') return true;
  if (Array.isArray(errors) && errors.length > 0) return true;
  if (typeof status === 'string' && BAD_STATUS.test(status)) return true;
  if (FLAGS.some((name) => fields[name] === true)) return true;
  if (VERDICTS.some((name) => fields[name] === false)) return true;
  if (EXITS.some((name) => typeof fields[name] === 'number' && fields[name] !== 0)) return true;
  // Codex gives the exit code of a patch beside its output.
  return typeof metadata === 'object' && metadata !== null && failedBy({ ...metadata });
}
