// A conversation as a script: who says what, which tools are called and what they answer, in no provider's format. The
// arbitraries make such scripts, legal ones and broken ones.

import * as fc from 'fast-check';

export interface Media {
  readonly type: 'image' | 'document';
  readonly mimeType: string;
  readonly base64: string;
}

export interface Result {
  readonly text: string;
  /** The text is JSON, and formats that carry JSON carry it so. */
  readonly json: boolean;
  readonly isError: boolean;
  readonly media: Media | null;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** None: the call was interrupted. */
  readonly result: Result | null;
  /** The user was asked before it ran, where the format says so. */
  readonly approved: boolean;
}

export interface Thinking {
  readonly text: string;
  readonly signature: string;
  readonly redacted: boolean;
}

/** One turn. `stray` is a result by itself; `alien` holds a part of a type nobody knows beside its text. */
export type Turn =
  | { readonly kind: 'system'; readonly text: string }
  | { readonly kind: 'user'; readonly text: string; readonly media: Media | null }
  | {
      readonly kind: 'assistant';
      readonly thinking: Thinking | null;
      readonly text: string;
      /** What the provider's own search was asked; empty for no search. */
      readonly hosted: string;
      readonly calls: readonly Call[];
    }
  | { readonly kind: 'stray'; readonly id: string; readonly name: string; readonly result: Result }
  | { readonly kind: 'alien'; readonly role: 'user' | 'assistant'; readonly text: string };

export interface Script {
  readonly turns: readonly Turn[];
  /** Gemini's calls have no ids, as most of its histories. */
  readonly bareIds: boolean;
}

export type Flavour =
  | 'prose'
  | 'code'
  | 'line'
  | 'json'
  | 'cjk'
  | 'emoji'
  | 'base64'
  | 'dollar'
  | 'lone'
  | 'log';

const CHUNKS: Readonly<Record<Exclude<Flavour, 'json'>, (n: number) => string>> = {
  prose: (n) =>
    `The order ${n} of customer c-${n % 97} was moved to the next week because item ${n * 7} is missing. `,
  code: (n) => `const value${n} = await load('src/part-${n % 50}/file-${n}.ts', { depth: ${n % 9} });\n  `,
  line: (n) => `{"id":${n},"name":"item-${n}","tags":["a","b"],"price":${n}.5},`,
  cjk: (n) => `第${n}個檔案的內容已經讀完，請檢查結果。\n`,
  emoji: (n) => `👩‍👩‍👧‍👦 done ${n} 🎉🇩🇪 `,
  base64: (n) => `iVBORw0KGgoAAAANSUhEUgAA${(n * 2_654_435_761) % 4_294_967_296}AAB4nO3OMQEAAAgDoNm/`,
  dollar: (n) => `cost: $& $1 $$ $\` $' $<name> ${n}\n`,
  lone: (n) => `cut \ud83d here ${n} \udc00\n`,
  log: (n) =>
    `2026-11-0${1 + (n % 9)} 12:00:${10 + (n % 50)} INFO worker-${n % 8} handled job ${n} in ${n % 300} ms\n`,
};

/** About `size` characters of `flavour` that are its own for every `seed`; JSON is valid whatever its size. */
export function textOf(flavour: Flavour, size: number, seed: number): string {
  if (size <= 0) return '';
  const chunk = CHUNKS[flavour === 'json' ? 'line' : flavour];
  const pieces: string[] = [];
  let length = 0;
  for (let n = seed * 1000; length < size; n += 1) {
    const piece = chunk(n);
    pieces.push(piece);
    length += piece.length;
  }
  const text = pieces.join('');
  if (flavour === 'json') return `[${text.slice(0, -1)}]`;
  const end = text.charCodeAt(size - 1);
  // A cut would make a lone surrogate, which only one flavour has.
  return text.slice(0, flavour !== 'lone' && end >= 0xd800 && end < 0xdc00 ? size - 1 : size);
}

/** A PNG by its first bytes: what a reader of its header learns, with `bytes` bytes in all. */
export function pngOf(width: number, height: number, bytes: number): string {
  const data = Buffer.alloc(Math.max(bytes, 33));
  data.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  data.writeUInt32BE(width, 16);
  data.writeUInt32BE(height, 20);
  data.set([8, 6, 0, 0, 0], 24);
  return data.toString('base64');
}

const flavour: fc.Arbitrary<Flavour> = fc.constantFrom(
  ...(['prose', 'prose', 'code', 'log', 'cjk', 'emoji', 'base64', 'dollar', 'lone'] as const),
);
const seed = fc.nat(5000);
const text = (sizes: fc.Arbitrary<number>): fc.Arbitrary<string> =>
  fc.tuple(flavour, sizes, seed).map(([of, size, from]) => textOf(of, size, from));
const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

const userText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('yes', 'yes', 'ok', 'continue', '$&', 'no, `$1`', '好', '👍') },
  { weight: 5, arbitrary: text(between(20, 400)) },
  { weight: 1, arbitrary: text(between(400, 9000)) },
);
const media: fc.Arbitrary<Media> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(between(1, 3000), between(1, 3000), between(40, 6000)).map(([w, h, bytes]) => ({
      type: 'image' as const,
      mimeType: 'image/png',
      base64: pngOf(w, h, bytes),
    })),
  },
  {
    weight: 1,
    arbitrary: between(1, 4000).map((size) => ({
      type: 'document' as const,
      mimeType: 'application/pdf',
      base64: Buffer.from(`%PDF-1.7\n${'0 obj '.repeat(size / 6 + 1)}`).toString('base64'),
    })),
  },
);
const maybe = <T>(of: fc.Arbitrary<T>, freq: number): fc.Arbitrary<T | null> =>
  fc.option(of, { nil: null, freq });

/** Sizes of results by how heavy the history is: windows of 2000 to 60 000 tokens lie within what they add up to. */
const WEIGHTS = {
  light: fc.oneof({ weight: 6, arbitrary: between(0, 300) }, { weight: 2, arbitrary: between(300, 3000) }),
  mixed: fc.oneof(
    { weight: 5, arbitrary: between(0, 800) },
    { weight: 4, arbitrary: between(800, 8000) },
    { weight: 1, arbitrary: between(8000, 60_000) },
  ),
  heavy: fc.oneof(
    { weight: 3, arbitrary: between(500, 8000) },
    { weight: 2, arbitrary: between(8000, 90_000) },
  ),
};

type RawCall = Omit<Call, 'id'>;

function callArbitrary(sizes: fc.Arbitrary<number>): fc.Arbitrary<RawCall> {
  const path = between(0, 40).map((n) => `src/part-${n % 5}/file-${n}.ts`);
  const args: fc.Arbitrary<readonly [string, Record<string, unknown>]> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(path, seed).map(([p, offset]) => ['read', { path: p, offset }] as const),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(path, text(between(0, 12_000)))
        .map(([p, content]) => ['write_file', { path: p, content }] as const),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(path, text(between(1, 3000)), text(between(0, 3000)))
        .map(([p, from, to]) => ['edit_file', { path: p, old_text: from, new_text: to }] as const),
    },
    { weight: 2, arbitrary: text(between(5, 200)).map((command) => ['bash', { command }] as const) },
    { weight: 1, arbitrary: fc.constant(['list_files', {}] as const) },
  );
  const kind = fc.constantFrom<Flavour>(
    'code',
    'log',
    'log',
    'line',
    'json',
    'prose',
    'cjk',
    'emoji',
    'base64',
    'dollar',
    'lone',
  );
  const result = fc
    .tuple(kind, sizes, seed, maybe(media, 12), fc.nat(9))
    .map(([of, size, from, picture, luck]): Result => {
      const isError = luck === 0;
      const json = of === 'json' && size > 0 && !isError;
      // A result of a picture and an error is none that a tool makes.
      return {
        text: isError ? `Error: exit ${from}` : textOf(of, size, from),
        json,
        isError,
        media: isError || json ? null : picture,
      };
    });
  return fc
    .tuple(args, result, fc.nat(30))
    .map(([[name, given], answer, luck]) => ({ name, args: given, result: answer, approved: luck === 0 }));
}

interface RawStep {
  readonly text: string;
  readonly hosted: string;
  readonly calls: readonly RawCall[];
}

interface RawExchange {
  readonly user: string;
  readonly media: Media | null;
  readonly steps: readonly RawStep[];
  readonly say: string;
}

type Mode = 'none' | 'first' | 'each';

function thinkingOf(mode: Mode, step: number, count: number): Thinking | null {
  if (mode === 'none' || (mode === 'first' && step > 0)) return null;
  const signature = Buffer.from(`signature-${count}-`.repeat(6)).toString('base64');
  return { text: textOf('prose', 60 + (count % 5) * 90, count), signature, redacted: count % 11 === 10 };
}

/** At most this many messages where every result is one. */
const MESSAGES = 80;

function assemble(
  system: string | null,
  exchanges: readonly RawExchange[],
  mode: Mode,
  bareIds: boolean,
): Script {
  const turns: Turn[] = system === null ? [] : [{ kind: 'system', text: system }];
  let left = MESSAGES - turns.length;
  let count = 0;
  exchanges.forEach((exchange, index) => {
    const last = index === exchanges.length - 1;
    // Room for the user and for what is said at the end, of this exchange and of those that follow.
    const room = left - 2 * (exchanges.length - index);
    turns.push({ kind: 'user', text: exchange.user, media: exchange.media });
    left -= 1;
    let used = 0;
    exchange.steps.forEach((step, at) => {
      if (used + 1 + step.calls.length > room) return;
      used += 1 + step.calls.length;
      const calls = step.calls.map((call) => {
        count += 1;
        return { id: `c${count}`, ...call };
      });
      turns.push({
        kind: 'assistant',
        thinking: thinkingOf(mode, at, count),
        text: step.text,
        hosted: step.hosted,
        calls,
      });
    });
    left -= used;
    if (last) return;
    count += 1;
    const thinking = thinkingOf(mode, used > 0 ? 1 : 0, count);
    turns.push({ kind: 'assistant', thinking, text: exchange.say, hosted: '', calls: [] });
    left -= 1;
  });
  return { turns, bareIds };
}

/** Scripts that every provider takes, of 1 to 80 messages: they end with the user or with results. */
export const legalScript: fc.Arbitrary<Script> = fc
  .tuple(fc.constantFrom(...(['light', 'mixed', 'mixed', 'heavy'] as const)), between(1, 7), between(0, 7))
  .chain(([weight, exchanges, steps]) => {
    const call = callArbitrary(WEIGHTS[weight]);
    const step = fc.record({
      text: fc.oneof(
        { weight: 1, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: text(between(10, 300)) },
      ),
      hosted: fc.oneof(
        { weight: 19, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constant('weather in Oslo') },
      ),
      calls: fc.oneof(
        { weight: 4, arbitrary: fc.array(call, { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(call, { minLength: 2, maxLength: 5, size: 'max' }) },
      ),
    });
    const exchange = fc.record({
      user: userText,
      media: maybe(media, 8),
      steps: fc.array(step, { minLength: Math.min(1, steps), maxLength: steps, size: 'max' }),
      say: text(between(10, 900)),
    });
    return fc
      .tuple(
        maybe(text(between(20, 3000)), 3),
        fc.array(exchange, { minLength: exchanges, maxLength: exchanges, size: 'max' }),
        fc.constantFrom<Mode>('none', 'none', 'first', 'each'),
        fc.boolean(),
      )
      .map(([system, list, mode, bareIds]) => assemble(system, list, mode, bareIds));
  });

/** What is wrong with a hostile history. */
export const FLAWS = [
  'orphan',
  'duplicate-result',
  'interrupted-middle',
  'interrupted-end',
  'partly-answered-end',
  'system-after-call',
  'late-result',
  'early-result',
  'same-id-twice',
  'odd-id',
  'long-id',
  'empty-user',
  'empty-assistant',
  'thinking-alone',
  'alien-part',
  'two-users',
  'starts-with-assistant',
  'ends-with-assistant',
  'huge-system',
  'giant-message',
] as const;
export type Flaw = (typeof FLAWS)[number];

const STRAY: Result = { text: 'nobody asked', json: false, isError: false, media: null };

/** Puts `flaw` into `turns` at about `at`, a fraction; the same turns where there is no place for it. */
export function withFlaw(turns: readonly Turn[], flaw: Flaw, at: number): readonly Turn[] {
  const place = Math.min(turns.length, 1 + Math.floor(at * turns.length));
  const insert = (where: number, ...added: Turn[]): Turn[] => turns.toSpliced(where, 0, ...added);
  const callers = turns.flatMap((turn, index) =>
    turn.kind === 'assistant' && turn.calls.length > 0 ? [index] : [],
  );
  const caller = flaw === 'interrupted-end' ? callers.at(-1) : callers[Math.floor(at * callers.length)];
  const asking = caller === undefined ? undefined : turns[caller];
  const said = (text: string, thinking: Thinking | null = null): Turn => ({
    kind: 'assistant',
    thinking,
    text,
    hosted: '',
    calls: [],
  });
  const user = (text: string): Turn => ({ kind: 'user', text, media: null });
  switch (flaw) {
    case 'orphan':
      return insert(place, { kind: 'stray', id: 'c-nobody', name: 'read', result: STRAY });
    case 'empty-user':
      return insert(place, user(''));
    case 'empty-assistant':
      return insert(place, said(''));
    case 'thinking-alone':
      return insert(place, said('', { text: 'hm', signature: 'c2lnbmF0dXJl', redacted: false }));
    case 'alien-part':
      return insert(place, { kind: 'alien', role: at < 0.5 ? 'user' : 'assistant', text: 'see beside' });
    case 'two-users':
      return insert(place, user('first'), user('second'));
    case 'starts-with-assistant':
      return insert(turns[0]?.kind === 'system' ? 1 : 0, said('Hello, what can I do?'));
    case 'ends-with-assistant':
      return [...turns, said('Done.')];
    case 'huge-system':
      return [
        { kind: 'system', text: textOf('prose', 300_000, 1) },
        ...turns.filter(({ kind }) => kind !== 'system'),
      ];
    case 'giant-message':
      return insert(place, user(textOf('log', 700_000, 2)));
    default:
  }
  if (asking?.kind !== 'assistant' || caller === undefined) return turns;
  const which = Math.floor(at * asking.calls.length * 0.999);
  const call = asking.calls[which];
  if (!call) return turns;
  const changed = (edit: Partial<Call>): Turn[] =>
    turns.with(caller, { ...asking, calls: asking.calls.with(which, { ...call, ...edit }) });
  const stray: Turn = { kind: 'stray', id: call.id, name: call.name, result: call.result ?? STRAY };
  switch (flaw) {
    case 'duplicate-result':
      return turns.toSpliced(caller + 1, 0, stray);
    case 'interrupted-middle':
      return changed({ result: null });
    case 'interrupted-end':
      return changed({ result: null }).slice(0, caller + 1);
    case 'partly-answered-end': {
      const open: Call = { ...call, id: `${call.id}o${asking.calls.length}`, result: null, approved: false };
      const calls = asking.calls.toSpliced(at < 0.5 ? which : which + 1, 0, open);
      return turns.with(caller, { ...asking, calls }).slice(0, caller + 1);
    }
    case 'system-after-call':
      return changed({ result: null }).toSpliced(caller + 1, 0, { kind: 'system', text: 'Be brief.' });
    case 'late-result':
      return changed({ result: null }).toSpliced(caller + 1, 0, user('wait'), stray);
    case 'early-result':
      return changed({ result: null }).toSpliced(caller, 0, stray);
    case 'same-id-twice':
      return turns.toSpliced(caller + 1, 0, { ...asking, thinking: null });
    case 'odd-id':
      return changed({ id: `call:${which}/${call.id}.x y|é` });
    default:
      return changed({ id: `${call.id}_${'thought'.repeat(214)}` });
  }
}

export interface FlawedScript {
  readonly script: Script;
  readonly flaws: readonly Flaw[];
}

function flawedScript(kinds: readonly Flaw[], most: number): fc.Arbitrary<FlawedScript> {
  const flaw = fc.tuple(fc.constantFrom(...kinds), fc.double({ min: 0, max: 0.999, noNaN: true }));
  return fc.tuple(legalScript, fc.array(flaw, { minLength: 1, maxLength: most })).map(([script, flaws]) => ({
    script: {
      ...script,
      turns: flaws.reduce((turns, [kind, at]) => withFlaw(turns, kind, at), script.turns),
    },
    flaws: flaws.map(([kind]) => kind),
  }));
}

/** Scripts with one to four flaws, and which. */
export const hostileScript: fc.Arbitrary<FlawedScript> = flawedScript(FLAWS, 4);

/** Scripts with results that come late or twice, calls without results, and empty messages: all can be repaired. */
export const repairableScript: fc.Arbitrary<FlawedScript> = flawedScript(
  ['late-result', 'duplicate-result', 'interrupted-middle', 'empty-user', 'empty-assistant'],
  4,
).map(({ script, flaws }) => ({ script: { ...script, bareIds: false }, flaws }));

/**
 * Scripts with nothing wrong but calls without results, and not only at the very end, where they may still come. Calls have
 * ids: without them nobody can tell which of two calls of one tool has no result.
 */
export const interruptedScript: fc.Arbitrary<FlawedScript> = flawedScript(
  ['interrupted-middle', 'partly-answered-end', 'system-after-call'],
  3,
).map(({ script, flaws }) => ({ script: { ...script, bareIds: false }, flaws }));
