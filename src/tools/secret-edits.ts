// Edits of a text whose secrets a model sees as placeholders. Placeholders have the length of their secrets, so places in
// what the model saw are places in the file. No placeholder is written, and no edit shows a secret.

import { quoted, ReaderError } from '../contract/index.ts';
import { placeholdersIn, type Redactor, type Secret } from '../redact/index.ts';
import type { Change } from './edits.ts';

/** @throws {ReaderError} BAD_INPUT if `text`, to be written as a whole, has a placeholder of a secret */
export function refusePlaceholders(text: string, argument: string): void {
  const found = placeholdersIn(text).find(isTagged);
  if (found)
    throw new ReaderError(
      'BAD_INPUT',
      `\`${argument}\` contains ${quoted(found.text)}, which stands for a secret that you cannot see; nothing was written.`,
      'Leave the placeholder out. To keep the secret, change only the text around it, with `edit_file`.',
    );
}

const isTagged = ({ text }: { readonly text: string }): boolean => text.includes('-');

/**
 * The changes that `changesOf` finds, with the secrets that their new texts name. It is given `flat` as the model saw it,
 * where `old` names a placeholder; otherwise without secrets, so that no part of one is found.
 * @throws {ReaderError} BAD_INPUT for a placeholder that is cut, unknown or ambiguous, and for an edit that shows a secret
 */
export function changesAroundSecrets(
  flat: string,
  old: string,
  redactor: Redactor,
  changesOf: (text: string) => readonly Change[],
): readonly Change[] {
  const secrets = redactor.secrets(flat);
  const shown = redactor.text(flat);
  const text = placeholdersIn(old).length > 0 ? shown : without(flat, secrets);
  const changes = changesOf(text).map((change) => {
    const { at, length } = change;
    const end = at + length;
    const touched = secrets.filter(({ from, to }) => from < end && to > at);
    if (touched.some(({ from, to }) => from < at || to > end) || isInside(change, secrets))
      throw refused(
        'The edit cuts a placeholder.',
        'Include the whole placeholder in `old_text`, or none of it.',
      );
    return { ...change, next: resolved(change, touched, flat, shown) };
  });
  if (secrets.length > 0) checkHidden(flat, changes, secrets, redactor);
  return changes;
}

/** A secret that an edit leaves in the text, and its place there. */
interface Kept {
  readonly from: number;
  readonly value: string;
}

const refused = (message: string, hint: string): ReaderError =>
  new ReaderError('BAD_INPUT', `${message} Nothing was changed.`, hint);

/** Text that no edit contains, in place of every secret. */
function without(flat: string, secrets: readonly Secret[]): string {
  let text = '';
  let end = 0;
  for (const { from, to } of secrets) {
    text += flat.slice(end, from) + flat.slice(from, to).replace(/[^\n]/g, '\uE000');
    end = to;
  }
  return text + flat.slice(end);
}

const isInside = ({ at, length }: Change, secrets: readonly Secret[]): boolean =>
  length === 0 && secrets.some(({ from, to }) => from < at && at < to);

/** The new text of a change with its secrets in place of their placeholders. */
function resolved({ next }: Change, touched: readonly Secret[], flat: string, shown: string): string {
  const values = new Map<string, string[]>();
  for (const { from, to } of touched) {
    const stand = shown.slice(from, to);
    values.set(stand, [...(values.get(stand) ?? []), flat.slice(from, to)]);
  }
  let text = next;
  for (const [stand, secrets] of [...values].sort(([a], [b]) => b.length - a.length)) {
    const pieces = text.split(stand);
    if (pieces.length === 1) continue;
    const isOne = new Set(secrets).size === 1;
    if (!isOne && pieces.length - 1 !== secrets.length)
      throw refused(
        `${quoted(stand)} stands for ${secrets.length} secrets in the replaced text.`,
        'Replace a smaller part, with one of them.',
      );
    text = pieces
      .map((piece, at) => piece + (at < pieces.length - 1 ? (secrets[at] ?? secrets[0]) : ''))
      .join('');
  }
  const left =
    placeholdersIn(text).find(isTagged) ?? /(?:^|\n)[ \t]*(?<text>x{16,})(?:\n|$)/.exec(text)?.groups;
  if (left && (touched.length > 0 || left['text'] !== undefined))
    throw refused(
      `The new text contains ${quoted(String(left['text']).slice(0, 80))}, which is not a placeholder in the replaced text.`,
      'Keep a placeholder exactly where `old_text` has it, or leave it out.',
    );
  return text;
}

/** @throws {ReaderError} BAD_INPUT if a secret of `flat` can be read in the text after the changes */
function checkHidden(
  flat: string,
  changes: readonly Change[],
  secrets: readonly Secret[],
  redactor: Redactor,
): void {
  const kept: Kept[] = [];
  let text = '';
  let end = 0;
  const passed = (to: number): void => {
    for (const { from, to: last } of secrets)
      if (from >= end && last <= to)
        kept.push({ from: text.length + from - end, value: flat.slice(from, last) });
    text += flat.slice(end, to);
  };
  for (const { at, length, next } of [...changes].sort((a, b) => a.at - b.at)) {
    passed(at);
    for (const { from, to } of secrets) {
      if (from < at || to > at + length) continue;
      const value = flat.slice(from, to);
      for (let place = next.indexOf(value); place >= 0; place = next.indexOf(value, place + value.length))
        kept.push({ from: text.length + place, value });
    }
    text += next;
    end = at + length;
  }
  passed(flat.length);
  const shown = redactor.text(text);
  const isShown = ({ from, value }: Kept): boolean => {
    const now = shown.slice(from, from + value.length);
    return value.split(/\s+/).some((piece) => piece.length >= 4 && now.includes(piece));
  };
  if (kept.some(isShown))
    throw refused(
      'After the edit, a secret would no longer be recognized and could be read.',
      'Keep the words around the placeholder, such as the name of the setting.',
    );
}
