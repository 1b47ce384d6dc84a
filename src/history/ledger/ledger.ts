// Follows a conversation from call to call: recognises the caller's own messages and the output of earlier calls, and
// shows the same list for either. Makes no decisions itself.

import { ReaderError } from '../../contract/index.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Edit } from '../codecs/message.ts';
import type { Repair } from '../report.ts';
import { type Arranged, arranged, type Placed } from './arranged.ts';
import {
  continued,
  EMPTY,
  type Entry,
  endOf,
  type Found,
  found,
  isOurs,
  type Made,
  type Place,
  type SavedVersion,
  savedVersion,
  trimmed,
  type Version,
  versionOf,
  withoutOld,
} from './entry.ts';
import { foreignNotice } from './foreign-notice.ts';
import { entryMark, type ReadMessage, ReadMessages } from './read-messages.ts';
import { sendable } from './sendable.ts';

/** A message as currently shown. */
export interface Shown<M> extends ReadMessage {
  readonly message: M;
  /** Set for our own messages; null for the caller's. */
  readonly made: Made | null;
  /** A user text in it is a notice, ours or another compactor's. */
  readonly isNotice: boolean;
  /** Edits applied to it. */
  readonly edits: readonly (readonly Edit[])[];
  /** Index in the input list; null if it was not in it. */
  readonly position: number | null;
}

/** A message of the next list: one shown now by its index, with edits, or one of our own. */
export type Step<M> = { readonly isNotice: boolean } & (
  | { readonly made: Made }
  | { readonly at: number; readonly edits: readonly Edit[]; readonly message: M }
);

/** A ledger as JSON. */
export interface SavedLedger {
  readonly now: SavedVersion;
  /** Before the newest notice: a caller may pass that list again. */
  readonly before: SavedVersion;
}

/** A list that its provider takes. */
interface Legal<M> extends Arranged<M> {
  readonly readings: readonly ReadMessage[];
  readonly marks: readonly string[];
  readonly repairs: readonly Repair[];
}

export class Ledger<M> {
  readonly #codec: Codec<M>;
  readonly #readings: ReadMessages<M>;
  #now: Version;
  #before: Version;
  /** As it was when the list came. */
  #came: Version;
  /** Of the entries. */
  #shown: readonly Shown<M>[] = [];
  #forgotten = 0;
  readonly #repairs: Repair[] = [];
  #given: readonly Placed<M>[] = [];
  #last: Legal<M> | null = null;

  constructor(codec: Codec<M>, saved?: SavedLedger) {
    this.#codec = codec;
    this.#readings = new ReadMessages(codec);
    this.#now = saved ? versionOf(saved.now) : EMPTY;
    this.#before = saved ? versionOf(saved.before) : EMPTY;
    this.#came = this.#now;
  }

  saved(): SavedLedger {
    return { now: savedVersion(this.#now), before: savedVersion(this.#before) };
  }

  /** How often a list was rewound to before a decision; a digest of what was removed is then outdated. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Repairs of messages that are new since the last time: results that moved next to their calls, empty texts. */
  takeRepairs(): readonly Repair[] {
    return this.#repairs.splice(0);
  }

  /**
   * Puts late results of the caller's list next to their calls, finds what it knows of it, and returns the list as shown:
   * with earlier decisions applied, and unchanged messages as the same objects. Linear in the list.
   */
  follow(messages: readonly M[]): readonly Shown<M>[] {
    const given: Placed<M>[] = [];
    const read = (message: M): ReadMessage => this.#readings.read(message);
    // `map` would keep the holes of a sparse list.
    for (const message of messages) given.push({ message, reading: read(message), position: given.length });
    const { list, readings, marks, repairs, moved } = this.#legal(given, read);
    const { at, version, places } = this.#found(marks);
    // Of a new list, everything; a message that was removed whole may be the first.
    const from = at === 0 ? 0 : (list[at]?.position ?? messages.length);
    for (const repair of repairs) if (repair.message >= from) this.#repairs.push(repair);
    for (const late of moved) if (late.at >= at) this.#repairs.push(late.repair);
    const kept = this.#stillDue(version.entries, places, list[at]?.reading);
    const next = endOf(version) - at;
    const notice = foreignNotice(readings);
    const entries = marks.slice(at).map((mark, number): Entry => {
      const index = at + number;
      return {
        made: null,
        from: next + index,
        layers: [],
        marks: [mark],
        notice: index === notice ? 0 : null,
      };
    });
    const all = [...version.entries.slice(0, kept), ...entries];
    this.#now = { entries: all, cut: version.cut };
    this.#came = this.#now;
    this.#shown = this.#show(
      all,
      (index) => (index < kept ? (places[index] ?? null) : { at: at + index - kept, layer: 0 }),
      list,
    );
    return this.#shown;
  }

  /** Shows this list instead, in which the other messages are removed. */
  decide(steps: readonly Step<M>[]): readonly Shown<M>[] {
    const { entries, cut } = this.#now;
    const left = new Set(steps.flatMap((step) => ('at' in step ? [step.at] : [])));
    const removes = ({ op }: Edit): boolean => op === 'remove';
    // What a notice speaks for.
    let count = entries.reduce(
      (end, { from }, at) => (left.has(at) ? end : Math.max(end, (from ?? -1) + 1)),
      0,
    );
    let isRearranged = left.size < entries.length;
    const shown: Shown<M>[] = [];
    const next = steps.map((step): Entry => {
      isRearranged ||= 'made' in step || step.isNotice;
      const [entry, one] = 'made' in step ? this.#added(step.made, step.isNotice) : this.#edited(step);
      if ('at' in step && step.edits.some(removes)) count = Math.max(count, (entry.from ?? -1) + 1);
      shown.push(one);
      return entry;
    });
    const past = entries.flatMap(({ from, marks: [mark] }) =>
      from !== null && from >= cut.count && from < count ? [mark ?? ''] : [],
    );
    if (isRearranged) this.#before = trimmed(this.#came);
    this.#now = {
      entries: next,
      cut: count > cut.count ? { count, mark: continued(cut.mark, past) } : cut,
    };
    this.#shown = shown;
    return shown;
  }

  #added(made: Made, holdsNotice: boolean): [Entry, Shown<M>] {
    const message = this.#make(made);
    const reading = this.#readings.read(message);
    const notice = holdsNotice ? 0 : null;
    const entry = { made, from: null, layers: [], marks: [entryMark(reading)], notice };
    return [entry, shownAs(entry, reading, message, null)];
  }

  #edited({
    at,
    edits,
    message,
    isNotice: holdsNotice,
  }: Extract<Step<M>, { at: number }>): [Entry, Shown<M>] {
    const [entry, shown] = [this.#now.entries[at], this.#shown[at]];
    if (!entry || !shown) throw new RangeError(`There is no message ${at}.`);
    if (edits.length === 0) return [entry, shown];
    const reading = this.#readings.read(message);
    const old = holdsNotice && this.#came.entries.includes(entry) ? withoutOld(entry) : entry;
    const layers = [...old.layers, edits];
    const marks = [...old.marks, entryMark(reading)];
    const next = { ...old, layers, marks, notice: holdsNotice ? layers.length : old.notice };
    return [next, shownAs(next, reading, message, shown.position)];
  }

  /** The list with what is wrong in single messages and with late results mended; remembered for the same list. */
  #legal(given: readonly Placed<M>[], read: (message: M) => ReadMessage): Legal<M> {
    const last = this.#given.length === given.length ? this.#last : null;
    if (
      last &&
      given.every(
        (one, at) => one.message === this.#given[at]?.message && one.reading === this.#given[at].reading,
      )
    )
      return last;
    const { list: sent, repairs } = sendable(given, this.#codec, read);
    const { list, moved } = arranged(sent, this.#codec, read);
    const readings = list.map(({ reading }) => reading);
    this.#given = given;
    this.#last = { list, readings, marks: readings.map(entryMark), repairs, moved };
    return this.#last;
  }

  /** What is known of a list: our output, the caller's own messages, or what came before the newest notice. */
  #found(marks: readonly string[]): Found {
    const [now, before] = [this.#now, this.#before];
    const output = found(now, now, marks);
    const own = found(now, EMPTY, marks);
    // Equal messages may make a list look like either.
    if (own.isWhole && (own.at > output.at || !output.isWhole)) return own;
    if (output.isWhole) return output;
    const earlier = found(now, before, marks);
    if (earlier.isWhole) return earlier;
    const best = output.places.length < own.places.length ? own : output;
    const old = [before, EMPTY].map((form) => found(before, form, marks)).find(({ isWhole }) => isWhole);
    const isKept = best.isTrue || !old;
    const gone = now.entries.slice(best.isTrue ? best.places.length : 0);
    if (
      gone.some((entry) => isOurs(entry) || entry.layers.length > 0) ||
      best.version.cut.mark !== now.cut.mark
    )
      this.#forgotten += 1;
    if (!isKept) this.#before = EMPTY;
    return isKept ? best : old;
  }

  /** How many of the entries stay before the message `next`: a result takes the place of our answers and fillers. */
  #stillDue(
    entries: readonly Entry[],
    places: readonly (Place | null)[],
    next: ReadMessage | undefined,
  ): number {
    const isAbsent = (at: number): boolean => places[at] === null && entries[at]?.notice === null;
    let kept = places.length;
    const isResult = next?.view.items[0]?.kind === 'result';
    if (isResult) while (kept > 0 && isAbsent(kept - 1)) kept -= 1;
    return kept;
  }

  #show(
    entries: readonly Entry[],
    placeOf: (index: number) => Place | null,
    list: readonly Placed<M>[],
  ): readonly Shown<M>[] {
    return entries.map((entry, index): Shown<M> => {
      const place = placeOf(index);
      const given = place && list[place.at];
      if (given && place.layer >= entry.layers.length)
        return shownAs(entry, given.reading, given.message, given.position);
      const first = given ? given.message : this.#make(entry.made);
      const message = entry.layers
        .slice(place?.layer ?? 0)
        .reduce((edited, edits) => this.#codec.edit(edited, edits) ?? edited, first);
      return shownAs(entry, this.#readings.read(message), message, given?.position ?? null);
    });
  }

  /** Creates the native message for one of our own. */
  #make(made: Made | null): M {
    if (made?.kind === 'notice') return this.#codec.notice(made.text, made.role);
    const [message] = made ? this.#codec.answer(made.calls, made.text) : [];
    if (typeof message !== 'object' || message === null)
      throw new ReaderError(
        'INTERNAL',
        `The codec \`${this.#codec.name}\` did not return a message to answer a call.`,
        'Report this as a defect.',
      );
    return message;
  }
}

function shownAs<M>(
  { made, notice, layers: edits }: Entry,
  { view, facts }: ReadMessage,
  message: M,
  position: number | null,
): Shown<M> {
  return { view, facts, message, made, isNotice: notice !== null, edits, position };
}
