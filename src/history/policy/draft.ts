// The list under compaction: what it costs, and what each tier has removed or changed so far. Tiers modify the draft
// only; the caller's messages change after the originals are archived.

import type { Tokens } from '../../contract/index.ts';
import { isNotice, isPlaceholder, QUESTION_LEFT_OUT } from '../archive/placeholder.ts';
import type { ProviderRules } from '../codecs/codec.ts';
import { type Edit, type Item, item as itemOf } from '../codecs/message.ts';
import type { Estimator } from '../cost/estimate.ts';
import { addTo } from '../grouped.ts';
import { type Conversation, conversationOf, type Group, type ItemPosition } from '../ledger/groups.ts';
import type { Shown } from '../ledger/ledger.ts';
import { placeKey } from '../ledger/place-key.ts';
import { costsOf } from '../ledger/read-messages.ts';
import type { Repair, Tier } from '../report.ts';
import type { DigestData } from '../summary/digest.ts';
import { type UsedLine, Uses } from '../summary/used-lines.ts';
import { type Change, LONGEST_POINTER, type Pointer } from './change.ts';

/** What a tier changed, and the tokens that it saved. */
interface Saving {
  changed: number;
  saved: number;
}

export class Draft<M> {
  readonly list: readonly Shown<M>[];
  readonly conversation: Conversation;
  readonly estimator: Estimator;
  /** Real tokens per estimated token. */
  readonly factor: number;
  readonly changes: Map<number, Change & { readonly place: ItemPosition }> = new Map();
  /** Edits of whole messages: added texts and answers. */
  readonly additions: Map<number, { readonly edit: Edit; readonly for: ItemPosition }[]> = new Map();
  /** Removed groups, with the tier that removed each. */
  readonly gone: Map<number, Tier | 'repair'> = new Map();
  /** Messages without any content a provider would accept. */
  readonly emptied: Set<number> = new Set();
  readonly repairs: Repair[] = [];
  readonly #isOwn: (text: string) => boolean;
  /** Of each item, by message. */
  readonly #costs: number[][];
  /** Cost of a message without its items. */
  readonly #frame: number;
  readonly #savings = new Map<Tier, Saving>();
  #tokens: number;
  #uses: Uses | null = null;

  /** `isOwn`: whether a text is what was left of a tool result when it arrived. */
  constructor(
    list: readonly Shown<M>[],
    rules: ProviderRules,
    estimator: Estimator,
    factor: number,
    tokens: Tokens,
    isOwn: (text: string) => boolean = () => false,
  ) {
    this.#isOwn = isOwn;
    this.list = list;
    this.estimator = estimator;
    this.factor = factor;
    this.#tokens = tokens;
    this.#costs = list.map((message) => costsOf(message, estimator).map((cost) => cost * factor));
    this.#frame = estimator.message({ role: 'user', items: [] }) * factor;
    const ours = list.map(({ made, isNotice: holdsNotice, view: { items } }, message) => {
      if (made !== null) return true;
      const [only, second] = items;
      if (only?.kind !== 'user' || second !== undefined) return false;
      // Another compactor's; the last message is from the user.
      return holdsNotice || (message < list.length - 1 && only.text === QUESTION_LEFT_OUT);
    });
    this.conversation = conversationOf(
      list.map(({ view }) => view),
      ours,
      rules,
    );
  }

  /** Tokens of the prompt in the current draft. */
  get tokens(): Tokens {
    return this.#tokens;
  }

  /** Index of the item of a message that is a notice of any compactor, or -1. */
  noticeIn(message: number): number {
    const { isNotice: holdsNotice, view } = this.list[message] ?? {};
    return holdsNotice && view
      ? view.items.findLastIndex(({ kind, text }) => kind === 'user' && isNotice(text))
      : -1;
  }

  /** The placeholder of an item if lectern wrote it, else null: other authors may write text that looks like one. */
  placeholder(place: ItemPosition): string | null {
    const { text } = this.item(place);
    if (!isPlaceholder(text)) return null;
    const edits = this.list[place.message]?.edits.flat() ?? [];
    const isOurs = edits.some((edit) => edit.op === 'text' && edit.text === text);
    return isOurs || this.#isOwn(text) ? text : null;
  }

  item({ message, item }: ItemPosition): Item {
    return this.list[message]?.view.items[item] ?? itemOf('opaque');
  }

  /** The places of all items of these kinds, in order. */
  placesOf(...kinds: readonly Item['kind'][]): readonly ItemPosition[] {
    const places: ItemPosition[] = [];
    this.list.forEach(({ view }, message) => {
      view.items.forEach(({ kind }, item) => {
        if (kinds.includes(kind)) places.push({ message, item });
      });
    });
    return places;
  }

  /** The number of the item's group, or -1. */
  groupAt({ message, item }: ItemPosition): number {
    return this.conversation.groupOf[message]?.[item] ?? -1;
  }

  nameOf({ message, item }: ItemPosition): string | null {
    return this.conversation.names[message]?.[item] ?? null;
  }

  /** Cost of an item in the current draft. */
  cost({ message, item }: ItemPosition): number {
    return this.#costs[message]?.[item] ?? 0;
  }

  /** Sets the cost of an item, and returns what it was. */
  #reprice({ message, item }: ItemPosition, cost: number): number {
    const before = this.cost({ message, item });
    const row = this.#costs[message];
    if (row) row[item] = cost;
    return before;
  }

  /** Cost of an item after an edit. */
  #after(place: ItemPosition, edit: Edit): number {
    const item = this.item(place);
    if (edit.op === 'media') return this.text(edit.text);
    const text = edit.op === 'text' ? edit.text : edit.op === 'args' ? JSON.stringify(edit.args) : null;
    return text === null ? 0 : this.estimator.item({ ...item, text }) * this.factor;
  }

  /** Real tokens of an item's original text. */
  textCost({ message, item }: ItemPosition): number {
    const read = this.list[message];
    const part = read?.view.items[item];
    if (!part || part.kind === 'media') return 0;
    const cost = costsOf(read, this.estimator)[item] ?? 0;
    return (cost - this.estimator.beyondText(part)) * this.factor;
  }

  groupCost(group: Group): number {
    let cost = 0;
    for (const place of group.places) cost += this.cost(place);
    return cost;
  }

  /** What removing the group saves: `groupCost` plus the frames of messages that contain nothing else. */
  leavingCost(group: Group | undefined): number {
    return group ? this.groupCost(group) + this.frames(group) : 0;
  }

  /** Real tokens of a text. */
  text(text: string): number {
    return this.estimator.text(text) * this.factor;
  }

  /** Whether the item was already changed; later tiers must leave it alone. */
  isChanged(place: ItemPosition): boolean {
    return this.changes.has(placeKey(place));
  }

  /**
   * Records a change of an item, made with the text `about` returns for a pointer. Returns false without changing
   * anything if that would save less than `least` tokens.
   */
  change(
    place: ItemPosition,
    tier: Tier,
    about: (pointer: Pointer) => Edit,
    { least = 1, hasFile = false }: { readonly least?: number; readonly hasFile?: boolean } = {},
  ): boolean {
    const next = this.#after(place, about(LONGEST_POINTER));
    const saved = this.cost(place) - next;
    if (saved < least) return false;
    this.changes.set(placeKey(place), { place, tier, hasFile, edit: about });
    this.#reprice(place, next);
    this.#save(tier, saved, 1);
    return true;
  }

  /**
   * Adds a line below a result, original or truncated; `noted` returns the text with it. Its cost reduces a tier's
   * savings.
   */
  note(place: ItemPosition, noted: (text: string) => string): void {
    const before = this.changes.get(placeKey(place));
    const edit = (pointer: Pointer): Edit => {
      const cut = before?.edit(pointer);
      return {
        op: 'text',
        item: place.item,
        text: noted(cut?.op === 'text' ? cut.text : this.item(place).text),
      };
    };
    const next = this.#after(place, edit(LONGEST_POINTER));
    this.changes.set(placeKey(place), { tier: 'note', hasFile: false, ...before, place, edit });
    const more = next - this.#reprice(place, next);
    const [tier] = this.#savings.keys();
    if (tier === undefined) this.#tokens += more;
    else this.reserve(more, tier);
  }

  /** Removes an item that no provider would accept. */
  repair(place: ItemPosition): void {
    this.changes.set(placeKey(place), {
      place,
      tier: 'repair',
      hasFile: false,
      edit: () => ({ op: 'remove', item: place.item }),
    });
    this.#tokens -= this.#reprice(place, 0);
  }

  /** Removes a whole group that no provider would accept. */
  repairGroup(number: number): void {
    const group = this.conversation.groups[number];
    if (!group || this.gone.has(number)) return;
    this.gone.set(number, 'repair');
    this.#tokens -= this.leavingCost(group);
  }

  /** Adds an edit of a whole message on behalf of item `of`; it is not applied if that item is removed. */
  add(message: number, of: ItemPosition, edit: Edit, cost: number): void {
    addTo(this.additions, message, { edit, for: of });
    this.#tokens += cost;
  }

  /** Removes whole groups. */
  drop(numbers: readonly number[]): void {
    let saved = 0;
    for (const number of numbers) {
      const group = this.conversation.groups[number];
      if (!group || this.gone.has(number)) continue;
      this.gone.set(number, 'drop');
      saved += this.leavingCost(group);
    }
    this.#save('drop', saved, numbers.length);
  }

  #save(tier: Tier, tokens: number, changed: number): void {
    const { changed: count, saved } = this.#savings.get(tier) ?? { changed: 0, saved: 0 };
    this.#savings.set(tier, { changed: count + changed, saved: saved + tokens });
    this.#tokens -= tokens;
  }

  /** Cost of a group's messages beyond their items, counting only messages that contain nothing else. */
  frames({ places }: Group): number {
    return new Set(places.map(({ message }) => message)).size * this.#frame;
  }

  /** Adds the tokens of a future notice, or subtracts them again. */
  reserve(tokens: number, tier: Tier): void {
    const counted = this.#savings.get(tier);
    if (counted) counted.saved -= tokens;
    this.#tokens += tokens;
  }

  /** What each tier did, in the order of their first action. */
  get saved(): ReadonlyMap<Tier, Readonly<Saving>> {
    return this.#savings;
  }

  /** Whether the item's group was removed. */
  hasGone(place: ItemPosition): boolean {
    return this.gone.has(this.groupAt(place));
  }

  /** Whether every item of the message is in a removed group. */
  isGone(message: number): boolean {
    if (this.emptied.has(message)) return true;
    const groups = this.conversation.groupOf[message] ?? [];
    if (groups.length === 0) return false;
    return groups.every(
      (group, item) =>
        this.gone.has(group) || this.changes.get(placeKey({ message, item }))?.tier === 'repair',
    );
  }

  /** Lines that later calls used, including those from results that are being removed or replaced by a line. */
  usedLines(digest: DigestData | null): readonly UsedLine[] {
    this.#uses ??= new Uses(
      this.list.map(({ view }) => view),
      (place) => this.nameOf(place),
    );
    return this.#uses.merge(
      digest?.used ?? [],
      digest?.messages ?? 0,
      (place) => this.hasGone(place) || (this.changes.get(placeKey(place))?.tier ?? 'note') !== 'note',
    );
  }

  /** Messages that lose content without its own file, in order, including earlier notices. */
  unkept(): number[] {
    const unkept = [...this.changes.values()].flatMap(({ place, hasFile }) =>
      hasFile ? [] : [place.message],
    );
    // A notice inside a caller's message is replaced by the next one, which states where the earlier originals are.
    const notices = this.list.flatMap(({ isNotice: holdsNotice }, message) => (holdsNotice ? [message] : []));
    return ascending([...unkept, ...this.#removed(), ...(this.gone.size > 0 ? notices : [])]);
  }

  /** Messages that are changed or removed, in order. */
  touched(): number[] {
    const changed = [...this.changes.values()].map(({ place }) => place.message);
    return ascending([...changed, ...this.additions.keys(), ...this.#removed()]);
  }

  /** Messages that are removed, whole or in part. */
  #removed(): number[] {
    const groups = [...this.gone.keys()].flatMap((number) => this.conversation.groups[number]?.places ?? []);
    return [...this.emptied, ...groups.map(({ message }) => message)];
  }
}

/** The numbers in order, without repeats. */
const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);
