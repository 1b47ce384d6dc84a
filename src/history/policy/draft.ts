// The list under compaction: what it costs, and what each tier has removed or changed so far. Tiers modify the draft
// only; the caller's messages change after the originals are archived.

import type { Tokens } from '../../contract/index.ts';
import { isGoalNote, isNotice, isOurNote, isPlaceholder } from '../archive/placeholder.ts';
import type { ProviderRules } from '../codecs/codec.ts';
import { type Edit, type Item, item as itemOf } from '../codecs/message.ts';
import type { Estimator } from '../cost/estimate.ts';
import { type Conversation, conversationOf, type Group, type ItemPosition } from '../ledger/groups.ts';
import type { Shown } from '../ledger/ledger.ts';
import { placeKey } from '../ledger/place-key.ts';
import type { Repair, Tier } from '../report.ts';
import type { DigestData } from '../summary/digest.ts';
import { type UsedLine, Uses } from '../summary/used-lines.ts';
import { type Change, LONGEST_POINTER, type Pointer } from './change.ts';
import { ItemCosts } from './item-costs.ts';
import { Reasons } from './reasons.ts';
import { TierSavings } from './tier-savings.ts';
import { WrittenTexts } from './written-texts.ts';

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
  readonly reasons: Reasons = new Reasons();
  /** Messages without any content a provider would accept. */
  readonly emptied: Set<number> = new Set();
  readonly repairs: Repair[] = [];
  readonly #written: WrittenTexts<M>;
  readonly #costs: ItemCosts;
  readonly #savings = new TierSavings();
  #tokens: number;
  #uses: Uses | null = null;

  constructor(
    list: readonly Shown<M>[],
    rules: ProviderRules,
    estimator: Estimator,
    factor: number,
    tokens: Tokens,
    arrived: ReadonlySet<string> = new Set(),
  ) {
    this.#written = new WrittenTexts(list, arrived);
    this.list = list;
    this.estimator = estimator;
    this.factor = factor;
    this.#tokens = tokens;
    this.#costs = new ItemCosts(list, estimator, factor);
    const ours = list.map(({ made, isNotice: holdsNotice, view: { items } }, message) => {
      if (made !== null) return true;
      const [only, second] = items;
      if (only?.kind !== 'user' || second !== undefined) return false;
      // Added by another compactor, which puts its goal note last; any other last message is from the user.
      return holdsNotice || isGoalNote(only.text) || (message < list.length - 1 && isOurNote(only.text));
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
    return isPlaceholder(text) && this.#written.has(place.message, text) ? text : null;
  }

  item({ message, item }: ItemPosition): Item {
    return this.list[message]?.view.items[item] ?? itemOf('opaque');
  }

  nameOf({ message, item }: ItemPosition): string | null {
    return this.conversation.names[message]?.[item] ?? null;
  }

  /** Cost of an item in the current draft. */
  cost(place: ItemPosition): number {
    return this.#costs.of(place);
  }

  /** Real tokens of an item's original text. */
  textCost(place: ItemPosition): number {
    return this.#costs.ofText(place);
  }

  groupCost(group: Group): number {
    let cost = 0;
    for (const place of group.places) cost += this.cost(place);
    return cost;
  }

  /** What removing the group saves: `groupCost` plus the frames of messages that contain nothing else. */
  leavingCost(group: Group): number {
    return this.groupCost(group) + this.frames(group);
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
    const edited = about(LONGEST_POINTER);
    const next = this.#costs.after(this.item(place), edited);
    const saved = this.cost(place) - next;
    if (saved < least) return false;
    this.changes.set(placeKey(place), { place, tier, hasFile, edit: about });
    this.#costs.set(place, next);
    this.#tokens -= saved;
    this.#savings.add(tier, saved);
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
    const next = this.#costs.after(this.item(place), edit(LONGEST_POINTER));
    const more = next - this.cost(place);
    this.changes.set(placeKey(place), { tier: 'note', hasFile: false, ...before, place, edit });
    this.#costs.set(place, next);
    const [tier] = this.saved.keys();
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
    this.#tokens -= this.cost(place);
    this.#costs.set(place, 0);
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
    const edits = this.additions.get(message) ?? [];
    edits.push({ edit, for: of });
    this.additions.set(message, edits);
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
    this.#tokens -= saved;
    this.#savings.add('drop', saved, numbers.length);
  }

  /** Reverts a `drop` of these groups. */
  undrop(numbers: readonly number[]): void {
    let saved = 0;
    for (const number of numbers) {
      const group = this.conversation.groups[number];
      if (group && this.gone.delete(number)) saved += this.leavingCost(group);
    }
    this.#tokens += saved;
    this.#savings.takeBack('drop', saved, numbers.length);
  }

  /** Cost of a group's messages beyond their items, counting only messages that contain nothing else. */
  frames({ places }: Group): number {
    return this.#costs.frames(places);
  }

  /** Adds the tokens of a future notice, or subtracts them again. */
  reserve(tokens: number, tier: Tier): void {
    this.#tokens += tokens;
    this.#savings.spend(tier, tokens);
  }

  /** See `TierSavings.all`. */
  get saved(): TierSavings['all'] {
    return this.#savings.all;
  }

  /** Whether the item's group was removed. */
  hasGone({ message, item }: ItemPosition): boolean {
    return this.gone.has(this.conversation.groupOf[message]?.[item] ?? -1);
  }

  /** Whether every item of the message is in a removed group. */
  isGone(message: number): boolean {
    if (this.emptied.has(message)) return true;
    const groups = this.conversation.groupOf[message] ?? [];
    if (groups.length === 0) return false;
    return groups.every((group, item) => this.gone.has(group) || this.#isRemoved(message, item));
  }

  #isRemoved(message: number, item: number): boolean {
    return this.changes.get(placeKey({ message, item }))?.tier === 'repair';
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
    const unkept = new Set<number>();
    for (const { place, hasFile } of this.changes.values()) if (!hasFile) unkept.add(place.message);
    for (const number of this.gone.keys())
      for (const { message } of this.conversation.groups[number]?.places ?? []) unkept.add(message);
    for (const message of this.emptied) unkept.add(message);
    // A notice inside a caller's message is replaced by the next one, which states where the earlier originals are.
    if (this.gone.size > 0)
      this.list.forEach(({ isNotice: holdsNotice }, message) => {
        if (holdsNotice) unkept.add(message);
      });
    return [...unkept].sort((a, b) => a - b);
  }

  /** Messages that are changed or removed, in order. */
  touched(): number[] {
    const messages = new Set<number>();
    for (const { place } of this.changes.values()) messages.add(place.message);
    for (const message of this.additions.keys()) messages.add(message);
    for (const message of this.emptied) messages.add(message);
    for (const number of this.gone.keys())
      for (const { message } of this.conversation.groups[number]?.places ?? []) messages.add(message);
    return [...messages].sort((a, b) => a - b);
  }
}
