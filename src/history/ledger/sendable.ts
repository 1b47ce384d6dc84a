// Takes out of single messages what their provider refuses although it says nothing: empty texts, ids that are used twice,
// and calls of the provider's own tools without a result. A pure function of the list; nothing that says something goes.

import { createHash } from 'node:crypto';
import type { Codec } from '../codecs/codec.ts';
import type { Edit, Item, MessageView } from '../codecs/message.ts';
import type { Repair } from '../report.ts';
import type { Placed } from './arranged.ts';
import type { ReadMessage } from './read-messages.ts';

/** Stands for the newest message of the user if it is empty: a list must not end without it. */
const EMPTY = '(empty)';
const NO_TEXT = 'The tool reported an error without a text.';

const isSpeech = ({ kind }: Item): boolean => kind === 'user' || kind === 'text' || kind === 'system';

function isBlank(item: Item, mayBeEmpty: boolean): boolean {
  if (item.isBlank) return true;
  return !mayBeEmpty && isSpeech(item) && !item.sealed && item.text.trim() === '';
}

/** Edits that fill or remove empty texts. */
function fillings({ role, items }: MessageView, isLast: boolean, rules: Codec['rules']): readonly Edit[] {
  // Nearly all messages.
  if (!isLast && !items.some((item) => isBlank(item, rules.mayBeEmpty))) return [];
  const blank = items.flatMap((item, index) => (isBlank(item, rules.mayBeEmpty) ? [index] : []));
  const [first] = blank;
  const isAlone = blank.length === items.length && items.every(isSpeech);
  const edits = blank.map((item): Edit => {
    const { kind, isError, text } = items[item] ?? {};
    if (kind === 'result') return { op: 'text', item, text: isError && text === '' ? NO_TEXT : (text ?? '') };
    if (isLast && isAlone && role === 'user' && item === first) return { op: 'text', item, text: EMPTY };
    return { op: 'remove', item };
  });
  // A final text of the assistant is continued by the model.
  const end = items.at(-1);
  const ending = end?.text.trimEnd() ?? '';
  if (
    isLast &&
    rules.endsWithUser &&
    end?.kind === 'text' &&
    !end.sealed &&
    ending !== '' &&
    ending !== end.text
  )
    edits.push({ op: 'text', item: items.length - 1, text: ending });
  return edits;
}

/** Ids of calls by the provider's own tools that are never answered, and that nothing else names. */
function unansweredHosted(views: readonly MessageView[], rules: Codec['rules']): ReadonlySet<string> {
  const open = new Set<string>();
  if (rules.results !== 'next') return open;
  // The provider continues the newest response, until the user says something.
  const newest = views.findLastIndex(
    ({ role, items }) => role === 'assistant' || items.some(({ kind }) => kind === 'user'),
  );
  const named = new Set<string>();
  views.forEach(({ items }, at) => {
    for (const { kind, callId, providerExecuted, links } of items) {
      if (kind === 'call' && providerExecuted && callId !== null && links.includes(callId) && at < newest)
        open.add(callId);
      else for (const link of links) named.add(link);
    }
  });
  for (const id of named) open.delete(id);
  return open;
}

/** `id` in another spelling, the `count`-th, from 1: with other characters replaced, otherwise 9 letters and digits. */
function spelled(id: string, count: number, form: RegExp): string {
  const plain = id.replace(/[^\w-]/g, '_');
  const named = count === 1 ? plain : `${plain}_${count}`;
  return form.test(named) ? named : createHash('sha256').update(`${count} ${id}`).digest('hex').slice(0, 9);
}

/** New ids for calls whose id the provider refuses, and for their results. */
class Ids {
  readonly #form: RegExp;
  readonly #used = new Set<string>();
  /** By the id as it came: the ids of the calls of the newest message with it that have no result yet, and the last id. */
  readonly #calls = new Map<
    string,
    { readonly message: number; readonly open: string[]; readonly last: string }
  >();

  constructor(form: RegExp) {
    this.#form = form;
  }

  /** The id to use for `item`; calls come before their results, and results of one id answer the calls in order. */
  of({ kind, callId, providerExecuted }: Item, message: number): string | null {
    if (callId === null || providerExecuted || (kind !== 'call' && kind !== 'result')) return null;
    const known = this.#calls.get(callId);
    if (kind === 'result') return known?.open.shift() ?? known?.last ?? null;
    let id = spelled(callId, 1, this.#form);
    for (let count = 2; this.#used.has(id); count += 1) id = spelled(callId, count, this.#form);
    this.#used.add(id);
    const open = known?.message === message ? known.open : [];
    open.push(id);
    this.#calls.set(callId, { message, open, last: id });
    return id;
  }
}

/** `given` with what its provider accepts; untouched messages stay the same. */
export function sendable<M>(
  given: readonly Placed<M>[],
  codec: Codec<M>,
  read: (message: M) => ReadMessage,
): { readonly list: readonly Placed<M>[]; readonly repairs: readonly Repair[] } {
  const { rules } = codec;
  const hosted = unansweredHosted(
    given.map(({ reading }) => reading.view),
    rules,
  );
  const ids = rules.callId === null ? null : new Ids(rules.callId);
  const list: Placed<M>[] = [];
  const repairs: Repair[] = [];
  given.forEach((one, index) => {
    const { view } = one.reading;
    const note = (kind: Repair['kind'], callId: string | null): void => {
      repairs.push({ kind, callId, message: one.position });
    };
    const edits: Edit[] = [];
    const filled = fillings(view, index === given.length - 1, rules);
    view.items.forEach((item, at) => {
      const { kind, callId } = item;
      const id = ids?.of(item, index) ?? callId;
      if (id !== null && id !== callId) {
        edits.push({ op: 'id', item: at, callId: id });
        if (kind === 'call') note('duplicate-id', callId);
      }
      if (kind !== 'call' || callId === null || !hosted.has(callId)) return;
      edits.push({ op: 'remove', item: at });
      note('interrupted-call', callId);
    });
    if (filled.length > 0) note('empty-text', null);
    edits.push(...filled);
    const message = codec.edit(one.message, edits);
    if (message === one.message) list.push(one);
    else if (message !== null) list.push({ ...one, message, reading: read(message) });
  });
  return { list, repairs };
}
