// A conversation as its owner has it, played against a compactor: every move a caller can make, and after each what must hold.
// The model knows nothing of how a compactor decides; it only remembers every message there was.

import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import * as fc from 'fast-check';
import {
  type CallOptions,
  type Codec,
  type Compacted,
  type Compactor,
  codecOf,
  createCompactor,
  createLangChainCodec,
  createMemoryStorage,
  type HistoryOptions,
  type HistoryStorage,
  PRESET_NAMES,
  type Report,
} from '../../src/history/index.ts';
import { compared, JUDGES } from './history-rules/index.ts';
import { legalScript, type Script, type Turn } from './history-script.ts';
import { type HistoryFormat, write } from './history-writers.ts';

const langChain = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage });

/** The codec that reads what `write` gives. */
export function codecFor(format: HistoryFormat): Codec {
  return format === 'langchain' ? langChain : codecOf(format === 'ai-sdk-prompt' ? 'ai-sdk' : format);
}

/** What a caller does before the next call of the model. */
export type Move =
  | { readonly kind: 'grow'; readonly turns: number }
  /** The user says the same short thing again, and is answered. */
  | { readonly kind: 'again'; readonly text: string }
  | { readonly kind: 'rewind'; readonly turns: number }
  /** An earlier message of the user is another one, and what came after it is gone. */
  | { readonly kind: 'branch'; readonly at: number; readonly text: string }
  | { readonly kind: 'regenerate' }
  | { readonly kind: 'other' }
  /** Rewinds what the compactor gave, not what was kept beside it. */
  | { readonly kind: 'rewind-own'; readonly messages: number }
  /** Goes back to what the compactor gave some calls ago, from which everything else goes on. */
  | { readonly kind: 'checkpoint'; readonly calls: number }
  | { readonly kind: 'observe'; readonly tokens: number; readonly isShare: boolean }
  | { readonly kind: 'overflowed'; readonly tokens: number | null }
  /** A new process: the state as JSON. */
  | { readonly kind: 'restart' }
  /** The conversation as a database gives it back: equal messages, other objects. */
  | { readonly kind: 'reload' }
  | { readonly kind: 'mark'; readonly at: number }
  | { readonly kind: 'stay' };

/** Which list the caller gives: as it came, or as the compactor gave it with what came since. */
export type Feed = 'originals' | 'own';

export interface Step {
  readonly move: Move;
  readonly feed: Feed;
  readonly force: boolean;
  /** Share of the window of the compactor. */
  readonly window: number;
  /** The storage fails from this write on; none for never. */
  readonly fails: number | null;
}

export interface Play {
  readonly scripts: readonly Script[];
  readonly steps: readonly Step[];
  readonly options: HistoryOptions<unknown>;
  readonly stored: boolean;
}

const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const SAID = fc.constantFrom(
  'yes',
  'ok',
  '$&',
  'continue',
  '[history: 3 earlier messages left out, ~9 tokens]',
);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: between(1, 8).map((turns): Move => ({ kind: 'grow', turns })) },
  { weight: 2, arbitrary: SAID.map((text): Move => ({ kind: 'again', text })) },
  { weight: 2, arbitrary: between(1, 12).map((turns): Move => ({ kind: 'rewind', turns })) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(20), SAID).map(([at, text]): Move => ({ kind: 'branch', at, text })),
  },
  { weight: 2, arbitrary: fc.constant<Move>({ kind: 'regenerate' }) },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'other' }) },
  { weight: 2, arbitrary: between(1, 6).map((messages): Move => ({ kind: 'rewind-own', messages })) },
  { weight: 2, arbitrary: between(1, 4).map((calls): Move => ({ kind: 'checkpoint', calls })) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc
        .double({ min: 0.6, max: 2, noNaN: true })
        .map((tokens): Move => ({ kind: 'observe', tokens, isShare: true })),
      fc
        .constantFrom(0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1, 10_000_000)
        .map((tokens): Move => ({ kind: 'observe', tokens, isShare: false })),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(null, 0, Number.NaN, 5000, 1e12, -1)
      .map((tokens): Move => ({ kind: 'overflowed', tokens })),
  },
  { weight: 2, arbitrary: fc.constant<Move>({ kind: 'restart' }) },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'reload' }) },
  { weight: 1, arbitrary: fc.nat(20).map((at): Move => ({ kind: 'mark', at })) },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'stay' }) },
);

const step: fc.Arbitrary<Step> = fc.record({
  move,
  feed: fc.constantFrom<Feed>('originals', 'own'),
  force: fc.nat(11).map((luck) => luck === 11),
  window: fc.oneof(
    { weight: 6, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.constantFrom(0.5, 2) },
  ),
  fails: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(2) }),
});

const options: fc.Arbitrary<HistoryOptions<unknown>> = fc
  .record({
    window: between(1500, 40_000),
    preset: fc.constantFrom(...PRESET_NAMES),
    target: fc.nat(3),
    over: between(300, 16_000),
  })
  .map(({ window, preset, target, over }) => ({
    window,
    preset,
    ...(preset === 'lectern' && { threshold: { at: over } }),
    ...(preset === 'aixtools' && { threshold: { at: over, to: over >> 1 } }),
    ...(target === 3 && { threshold: { to: 0.4 } }),
  }));

/** Conversations and what is done with them. */
export const play: fc.Arbitrary<Play> = fc.record({
  scripts: fc.array(legalScript, { minLength: 2, maxLength: 3 }),
  steps: fc.array(step, { minLength: 3, maxLength: 14, size: 'max' }),
  options,
  stored: fc.boolean(),
});

/** One turn, and its messages: the same objects for as long as it is in the conversation. */
interface Told {
  readonly turn: Turn;
  readonly at: number;
  /** As the script it is of writes ids. */
  readonly bareIds: boolean;
  messages: readonly unknown[];
  /** Those with a cache mark, by place. */
  readonly marked: Set<number>;
}

const said = (text: string): Turn => ({ kind: 'assistant', thinking: null, text, hosted: '', calls: [] });
const user = (text: string): Turn => ({ kind: 'user', text, media: null });

/** A storage that fails when told to. */
class Storage implements HistoryStorage {
  readonly #inner = createMemoryStorage();
  left: number | null = null;
  readonly shownAs = (path: string): string => `/workspace/${path}`;

  async write(path: string, text: string): Promise<void> {
    if (this.left !== null) {
      if (this.left === 0) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      this.left -= 1;
    }
    await this.#inner.write(path, text);
  }
  read(path: string): Promise<string | null> {
    return this.#inner.read(path);
  }
}

/** Turns added at most to come to where a model may be called. */
const MOST_GROWN = 12;

const isOurs = (text: string): boolean => text.startsWith('[history: ');

/** What was found to be wrong, with the step. */
export interface Finding {
  readonly step: number;
  readonly move: string;
  readonly what: string;
}

/** Plays in one format. */
export class Game {
  readonly findings: Finding[] = [];
  /** Every pointer that a report told. */
  readonly #pointers = new Set<string>();
  /** Calls of `compact`. */
  calls = 0;
  readonly #format: HistoryFormat;
  readonly #codec: Codec;
  readonly #play: Play;
  readonly #storage = new Storage();
  #compactor: Compactor<unknown>;
  #told: Told[] = [];
  #system: string | null = null;
  #scripts: number;
  #turn = 0;
  #count = 0;
  /** The list given last, and how many turns it stands for. */
  #own: readonly unknown[] = [];
  #ownTurns = 0;
  /** Lists given since the front of the conversation changed last, and the turns they stand for. */
  #given: { readonly own: readonly unknown[]; readonly told: readonly Told[] }[] = [];
  #at = 0;
  #move = '';

  constructor(format: HistoryFormat, plan: Play) {
    this.#format = format;
    this.#codec = codecFor(format);
    this.#play = plan;
    this.#scripts = 0;
    this.#compactor = this.#made();
    this.#begin();
  }

  #made(state?: ReturnType<Compactor<unknown>['state']>): Compactor<unknown> {
    const { stored } = this.#play;
    // Without a storage of its own a compactor's originals end with it; the model asks for them after a restart too.
    void stored;
    return createCompactor<unknown>({
      ...this.#play.options,
      format: this.#codec,
      storage: this.#storage,
      ...(state && { state }),
    });
  }

  #fail(what: string): void {
    this.findings.push({ step: this.#at, move: this.#move, what });
  }

  get originals(): readonly unknown[] {
    return this.#told.flatMap(({ messages }) => messages);
  }

  #written(turn: Turn, at: number, bareIds: boolean): readonly unknown[] {
    const turns: Turn[] = [];
    // Other places stay holes: ids of items come from the place.
    turns[at] = turn;
    return write(this.#format, { turns, bareIds });
  }

  get #script(): Script {
    return this.#play.scripts[this.#scripts % this.#play.scripts.length] ?? { turns: [], bareIds: false };
  }

  #add(turn: Turn): void {
    const last = this.#told.at(-1)?.turn;
    const isWaiting = last?.kind === 'user' || (last?.kind === 'assistant' && last.calls.length > 0);
    if (turn.kind === 'user' && last && isWaiting) this.#push(said(`So be it, ${this.#count}.`));
    this.#push(turn);
  }

  #push(turn: Turn): void {
    const at = this.#count;
    this.#count += 1;
    const { bareIds } = this.#script;
    const own = renamed(turn, at);
    this.#told.push({ turn: own, at, bareIds, messages: this.#written(own, at, bareIds), marked: new Set() });
  }

  #begin(): void {
    this.#told = [];
    this.#turn = 0;
    const [first] = this.#script.turns;
    const isBeside = ['anthropic', 'bedrock', 'gemini'].includes(this.#format);
    this.#system = first?.kind === 'system' && isBeside ? first.text : null;
    this.#grow(1);
  }

  /** Adds turns up to where a model may be called. */
  #grow(turns: number): void {
    for (let added = 0; added < turns || (added < turns + MOST_GROWN && !this.#isLegal()); added += 1) {
      let turn = this.#script.turns[this.#turn];
      if (!turn) {
        this.#scripts += 1;
        this.#turn = 0;
        turn = this.#script.turns.find(({ kind }) => kind === 'user') ?? user('go on');
      }
      this.#turn += 1;
      if (turn.kind === 'system' && this.#told.length > 0) continue;
      this.#add(turn);
    }
  }

  #isLegal(): boolean {
    const { originals } = this;
    return originals.length > 0 && JUDGES[this.#format](originals).length === 0;
  }

  /** Turns up to `length`, or fewer, so that a model may be called. */
  #cut(length: number): void {
    for (let left = length; left > 0; left -= 1) {
      this.#told = this.#told.slice(0, left);
      if (this.#isLegal()) break;
    }
    if (!this.#isLegal()) this.#begin();
  }

  /** Whether what the compactor gave still stands for the front of the conversation. */
  #isFront = true;

  #perform(next: Move): void {
    switch (next.kind) {
      case 'grow':
        this.#grow(next.turns);
        return;
      case 'again':
        this.#add(user(next.text));
        this.#push(said('Done.'));
        this.#push(user(next.text));
        return;
      case 'rewind':
        this.#cut(Math.max(1, this.#told.length - next.turns));
        this.#isFront = false;
        return;
      case 'branch': {
        const users = this.#told.flatMap(({ turn }, at) => (turn.kind === 'user' ? [at] : []));
        const at = users[next.at % Math.max(1, users.length)];
        if (at === undefined) return;
        this.#told = this.#told.slice(0, at);
        this.#push(user(next.text));
        this.#isFront = false;
        return;
      }
      case 'regenerate': {
        const at = this.#told.findLastIndex(({ turn }) => turn.kind === 'assistant');
        if (at > 0) this.#cut(at);
        this.#isFront = false;
        this.#grow(1);
        return;
      }
      case 'other':
        this.#scripts += 1;
        this.#begin();
        this.#isFront = false;
        return;
      case 'rewind-own':
        this.#rewindOwn(next.messages);
        return;
      case 'checkpoint': {
        const given = this.#given.at(-next.calls);
        if (given === undefined) return;
        this.#given = this.#given.slice(0, this.#given.lastIndexOf(given) + 1);
        this.#own = given.own;
        this.#told = [...given.told];
        this.#ownTurns = given.told.length;
        this.#isFront = true;
        return;
      }
      case 'reload':
        for (const told of this.#told)
          told.messages = this.#written(told.turn, told.at, told.bareIds).map((message, place) =>
            told.marked.has(place) ? marked(this.#format)(message) : message,
          );
        return;
      case 'mark':
        for (const [index, told] of this.#told.entries())
          if (index % 5 === next.at % 5) this.#mark(told, index);
        return;
      default:
    }
  }

  /**
   * Puts cache marks on a turn, in either list it may be given in: an archive keeps messages with their marks and is named by
   * what it keeps, so that a mark on one list alone is another name in the notice. Nor does a mark on an original reach what
   * was made of it.
   */
  #mark(told: Told, index: number): void {
    const isGiven = this.#isFront && index < this.#ownTurns;
    told.messages = told.messages.map((message, place) => {
      if (isGiven && !this.#own.includes(message)) return message;
      const next = marked(this.#format)(message);
      if (isGiven) this.#own = this.#own.map((own) => (own === message ? next : own));
      told.marked.add(place);
      return next;
    });
  }

  /** Takes newest turns away where they, and what stands before them, were given as they came. */
  #rewindOwn(many: number): void {
    for (let taken = 0; taken < many && this.#isFront && this.#told.length > 1; taken += 1) {
      const last = this.#told.at(-1);
      const told = this.#told.slice(0, -1);
      const isGiven = this.#told.length <= this.#ownTurns;
      const own = isGiven ? this.#own.slice(0, this.#own.length - (last?.messages.length ?? 0)) : this.#own;
      const newest = told.at(-1)?.messages.at(-1);
      if (isGiven && (newest === undefined || own.at(-1) !== newest)) return;
      // Who takes away the newest message of the user, and has no original, has none to show.
      const asked = told.findLast(({ turn }) => turn.kind === 'user')?.messages[0];
      if (isGiven && !own.includes(asked)) return;
      this.#own = own;
      this.#told = told;
      this.#ownTurns = Math.min(this.#ownTurns, told.length);
    }
    if (!this.#isLegal()) this.#grow(1);
  }

  #act(next: Move, report: Report | null): Promise<unknown> | undefined {
    switch (next.kind) {
      case 'observe':
        this.#compactor.observe(
          next.isShare ? Math.round(next.tokens * (report?.after.tokens ?? 0)) : next.tokens,
        );
        return undefined;
      case 'overflowed':
        if (next.tokens === null) this.#compactor.overflowed();
        else this.#compactor.overflowed(next.tokens);
        return undefined;
      case 'restart':
        this.#compactor = this.#made(JSON.parse(JSON.stringify(this.#compactor.state())));
        return undefined;
      default:
        return undefined;
    }
  }

  #list(feed: Feed): readonly unknown[] {
    if (feed === 'originals' || !this.#isFront) return this.originals;
    return [...this.#own, ...this.#told.slice(this.#ownTurns).flatMap(({ messages }) => messages)];
  }

  #bytes(messages: readonly unknown[]): string {
    return JSON.stringify(messages.map((message) => this.#codec.encode(message)));
  }

  /** As a model reads them: cache marks lie on one list of the same, not on the other. */
  #views(messages: readonly unknown[]): string {
    return JSON.stringify(messages.map((message) => this.#codec.view(message)));
  }

  async run(): Promise<readonly Finding[]> {
    let before: Compacted<unknown> | null = null;
    for (const [at, { move: next, feed, force, window, fails }] of this.#play.steps.entries()) {
      this.#at = at;
      this.#move = `${JSON.stringify(next)} ${feed}${force ? ' force' : ''} ${window} ${fails ?? ''}`;
      await this.#act(next, before?.report ?? null);
      this.#perform(next);
      if (!this.#isFront || next.kind === 'rewind-own' || next.kind === 'mark') this.#given = [];
      if (JUDGES[this.#format](this.originals).length > 0) {
        this.#begin();
        this.#isFront = false;
      }
      const call: CallOptions = {
        ...(this.#system !== null && { system: this.#system }),
        ...(force && { force }),
        window: Math.max(300, Math.floor((this.#play.options.window ?? 0) * window)),
      };
      const { force: _, ...calm } = call;
      const wasFront = this.#isFront;
      const fed = this.#list(feed);
      const other = this.#list(feed === 'own' ? 'originals' : 'own');
      const state = JSON.parse(JSON.stringify(this.#compactor.state()));
      this.#storage.left = fails;
      const frozen = this.#bytes(fed);
      const done: Compacted<unknown> = await this.#compactor.compact(fed, call);
      this.calls += 1;
      for (const pointer of done.report.pointers) this.#pointers.add(pointer);
      this.#storage.left = null;
      if (this.#bytes(fed) !== frozen) this.#fail('the messages given were changed');
      this.#check(fed, done);
      if (before && wasFront && done.report.action === 'none' && next.kind === 'grow')
        if (this.#bytes(done.messages.slice(0, before.messages.length)) !== this.#bytes(before.messages))
          this.#fail('the front changed though nothing was done');
      await this.#covered(done.messages);
      const given = this.#bytes(done.messages);
      if (fails === null) {
        // Another that knows as much, given the other list, gives the same.
        const twin = await this.#made(state).compact(other, call);
        this.calls += 1;
        if (this.#views(twin.messages) !== this.#views(done.messages))
          this.#fail(`another list of the same gives other messages: ${summary(done)} | ${summary(twin)}`);
        if (!force)
          for (const [what, list] of [
            ['its output', done.messages],
            ['the same list', fed],
          ] as const) {
            const again = await this.#compactor.compact(list, calm);
            this.calls += 1;
            for (const pointer of again.report.pointers) this.#pointers.add(pointer);
            if (this.#bytes(again.messages) !== given)
              this.#fail(`${what} given again changed: ${summary(done)} | ${summary(again)}`);
          }
      }
      this.#own = done.messages;
      this.#ownTurns = this.#told.length;
      this.#isFront = true;
      this.#given.push({ own: this.#own, told: [...this.#told] });
      before = done;
    }
    return this.findings;
  }

  #check(fed: readonly unknown[], { messages, report }: Compacted<unknown>): void {
    const { originals } = this;
    const format = this.#format;
    for (const finding of JUDGES[format](messages)) this.#fail(`refused: ${finding}`);
    for (const finding of compared(format, originals, messages)) this.#fail(`compared: ${finding}`);
    const encoded = new Map(fed.map((message) => [JSON.stringify(this.#codec.encode(message)), message]));
    for (const message of messages)
      if (
        !this.#isOurs(message) &&
        !fed.includes(message) &&
        encoded.has(JSON.stringify(this.#codec.encode(message)))
      )
        this.#fail('an untouched message is another object');
    let from = -1;
    for (const message of messages) {
      const at = originals.indexOf(message);
      if (at < 0) continue;
      if (at <= from) this.#fail('messages come in another order, or twice');
      from = at;
    }
    if (report.fits !== (report.problem === null) && report.problem?.code !== 'QUOTA_EXCEEDED')
      this.#fail(`fits is ${report.fits}, and the problem ${report.problem?.code}`);
    if (report.problem === null && report.after.tokens > report.window)
      this.#fail(`over the window without a problem: ${report.after.tokens} of ${report.window}`);
    for (const size of [report.before, report.after])
      if (!Number.isFinite(size.tokens) || size.tokens < 0) this.#fail(`tokens are ${size.tokens}`);
    this.#survive(messages);
  }

  /** Fillers of ours read alike. */
  #isOurs(message: unknown): boolean {
    return this.#codec.view(message).items.every(({ text }) => isOurs(text));
  }

  #survive(messages: readonly unknown[]): void {
    const items = messages.flatMap((message) => this.#codec.view(message).items);
    const asked = this.#told.flatMap(({ turn }) => (turn.kind === 'user' ? [turn.text] : []));
    const cut = items.some(({ kind, text }) => kind === 'user' && text.startsWith('[history: cut'));
    for (const text of [asked[0], asked.at(-1)])
      if (text !== undefined && !cut && !items.some((item) => item.kind === 'user' && item.text === text))
        this.#fail(`a message of the user is not there: ${text.slice(0, 30)}`);
    for (const { turn } of this.#told)
      if (turn.kind === 'system' && this.#system === null && !items.some(({ text }) => text === turn.text))
        this.#fail('the instructions are not there');
  }

  /** Every part of every original is visible, or behind a pointer. */
  async #covered(messages: readonly unknown[]): Promise<void> {
    const parts = new Set<string>();
    const keyOf = ({ kind, text, media }: { kind: string; text: string; media: unknown }): string =>
      kind === 'media' ? JSON.stringify(media) : text;
    for (const message of messages)
      for (const item of this.#codec.view(message).items) parts.add(keyOf(item));
    let missing = this.#missing(parts, keyOf);
    if (missing.length === 0) return;
    const whole = new Set<string>();
    let all = '';
    for (const pointer of this.#pointers) {
      try {
        const { kind, text, message } = await this.#compactor.restore(pointer);
        if (kind === 'text') parts.add(text);
        else {
          for (const item of this.#codec.view(message).items) parts.add(keyOf(item));
          whole.add(text);
          all += text;
        }
      } catch (error) {
        this.#fail(`${pointer} does not restore: ${String(error)}`);
      }
    }
    missing = this.#missing(parts, keyOf).filter(
      ({ message, key }) =>
        !(
          whole.has(JSON.stringify(this.#codec.encode(message))) ||
          all.includes(JSON.stringify(key).slice(1, -1))
        ),
    );
    for (const { key } of missing.slice(0, 3)) this.#fail(`lost: ${key.slice(0, 60)}`);
  }

  #missing(
    parts: ReadonlySet<string>,
    keyOf: (item: { kind: string; text: string; media: unknown }) => string,
  ): { message: unknown; key: string }[] {
    return this.originals.flatMap((message) =>
      this.#codec
        .view(message)
        .items.map(keyOf)
        .filter((key) => key !== '' && !parts.has(key))
        .map((key) => ({ message, key })),
    );
  }
}

const summary = ({ messages, report }: Compacted<unknown>): string =>
  `${messages.length} messages, ${report.action}, ${report.before.tokens} -> ${report.after.tokens} of ${report.trigger}/${report.target}, ${report.tiers.map(({ tier }) => tier).join(' ')} ${report.problem?.code ?? ''}`;

/** Ids of calls are a conversation's own. */
function renamed(turn: Turn, at: number): Turn {
  if (turn.kind !== 'assistant') return turn;
  return { ...turn, calls: turn.calls.map((call) => ({ ...call, id: `${call.id}_${at}` })) };
}

/** Puts a cache mark on a message, as callers move them from call to call. */
function marked(format: HistoryFormat): (message: unknown) => unknown {
  return (message) => {
    // Messages of the writers are objects of fields; those of LangChain stay as they are.
    const native = message as Record<string, unknown>;
    const mark = { cache_control: { type: 'ephemeral' } };
    if (format === 'ai-sdk' || format === 'ai-sdk-prompt')
      return { ...native, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
    if (format !== 'anthropic' || native['role'] !== 'user') return message;
    if (typeof native['content'] === 'string')
      return { ...native, content: [{ type: 'text', text: native['content'], ...mark }] };
    const blocks = native['content'] as Record<string, unknown>[];
    return {
      ...native,
      content: blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...mark } : block)),
    };
  };
}
