// Divides tokens and bytes of one request among the files: what one does not need goes to the next, and the remainder
// goes to those that could not be paid for. `give.ts` decides how one file is included.

import { ReaderError, type Tokens, throwIfAborted } from '../contract/index.ts';
import type { Limits } from '../models/index.ts';
import { imageTokens } from '../models/index.ts';
import type { Taken } from './allowance.ts';
import type { ClassifiedFile } from './classify.ts';
import { give } from './give.ts';
import { fullLine, headTokens, leastLine } from './listing.ts';
import { callOf, left, type Outcome, type Turn } from './outcome.ts';
import type { AttachedFile } from './part.ts';

type Shared = Omit<Turn, 'share' | 'byteShare'>;

/** Reserved for the note on a file's line in the list. */
const NOTE_TOKENS: Tokens = 50;
/** Reserved for the arguments of its call besides the path. */
const FIELDS_TOKENS: Tokens = 50;

/** Tokens the file list will take, updated line by line. Reserved from the shared tokens. */
export class Lines {
  readonly #costs: Tokens[] = [];
  readonly #least: Tokens[];
  readonly #head: Tokens;
  readonly #most: Tokens;
  readonly #tool: string | undefined;
  readonly #count: (text: string) => Tokens;

  /** At most half of `budget`, except for the names, which are always listed. */
  constructor(
    files: readonly ClassifiedFile[],
    budget: Tokens,
    tool: string | undefined,
    count: (text: string) => Tokens,
  ) {
    this.#tool = tool;
    this.#count = count;
    this.#head = headTokens(files.length, count);
    this.#least = files.map(({ name, index }) => leastLine(name, index + 1, count));
    const least = this.#least.reduce((sum, tokens) => sum + tokens, this.#head);
    this.#most = Math.max(least, Math.floor(budget / 2));
    for (const file of files) this.expect(file);
  }

  /** Tokens to reserve now. */
  get tokens(): Tokens {
    return Math.min(
      this.#most,
      this.#costs.reduce((sum, tokens) => sum + tokens, this.#head),
    );
  }

  /** Reserves a line for a file not decided yet. */
  expect(file: ClassifiedFile): void {
    const path = this.#tool === undefined ? undefined : file.path;
    const call = path === undefined ? {} : { call: callOf(this.#tool ?? '', path, {}) };
    this.#set(file, { given: 'sample', tokens: 0, note: '', ...call });
    this.#costs[file.index] =
      (this.#costs[file.index] ?? 0) + NOTE_TOKENS + (path === undefined ? 0 : FIELDS_TOKENS);
  }

  /** Replaces the reservation of a file by its actual line. */
  settle(file: ClassifiedFile, outcome: Outcome): void {
    this.#set(file, outcome);
  }

  #set(file: ClassifiedFile, answer: FileAnswer): void {
    const full = this.#count(fullLine(fileOf(file, answer), file.index + 1));
    this.#costs[file.index] = Math.max(full, this.#least[file.index] ?? 0);
  }
}

type FileAnswer = Omit<AttachedFile, 'name' | 'path' | 'bytes'>;

/** The report on a file. */
export function fileOf({ name, path, bytes }: ClassifiedFile, answer: FileAnswer): AttachedFile {
  return { name, ...(path !== undefined && { path }), ...(bytes !== undefined && { bytes }), ...answer };
}

interface Given {
  readonly outcome: Outcome;
  readonly taken: Taken;
}

/** Not included, because this share did not pay for it. */
interface Refused {
  readonly file: ClassifiedFile;
  readonly share: Tokens;
  readonly wants: Tokens;
}

/** Gives every file its share, reserving `lines` from the allowance throughout. */
export class Sharing {
  readonly #all: Shared;
  readonly #lines: Lines;
  readonly #onTurn: (turn: number, of: number) => void;
  readonly #given: Given[] = [];
  #kept: Tokens = 0;
  #turn = 0;
  #of = 0;

  constructor(all: Shared, lines: Lines, onTurn: (turn: number, of: number) => void) {
    this.#all = all;
    this.#lines = lines;
    this.#onTurn = onTurn;
    this.#keep();
  }

  /** The outcome of each file, in the order of the files. */
  async give(files: readonly ClassifiedFile[]): Promise<Outcome[]> {
    const { limits } = this.#all.allowance;
    const order = [...files].sort((a, b) => needOf(a, limits) - needOf(b, limits) || a.index - b.index);
    this.#of = order.length;
    await this.#giveAll(files, order);
    await this.#handOn(order);
    return this.#given.map(({ outcome }) => outcome);
  }

  /** A fair share for each file. Small ones come first, because they pass on what they do not need. */
  async #giveAll(files: readonly ClassifiedFile[], order: readonly ClassifiedFile[]): Promise<void> {
    const { allowance } = this.#all;
    const pictures = files.filter(({ kind }) => kind === 'image');
    // Picture slots are assigned in the order of the files.
    const placed = new Set(pictures.slice(0, allowance.images));
    const documents = files.filter(({ kind }) => kind === 'pdf' || kind === 'text');
    allowance.expect(placed.size, documents.length);
    let contenders = order.filter(({ kind }) => kind !== 'failed' && kind !== 'empty').length;
    let media = order.filter(isMedia).length;
    const refused: Refused[] = [];
    for (const [turn, file] of order.entries()) {
      await this.#giveRefused(refused, contenders);
      this.#turn = turn + 1;
      this.#onTurn(this.#turn, this.#of);
      const share = Math.floor(allowance.tokens / Math.max(1, contenders));
      const unplaced = file.kind === 'image' && !file.drawn && !placed.has(file);
      const given = await this.#giveOne(file, share, media, unplaced);
      this.#settle(file, given);
      if (given.outcome.wants !== undefined && given.outcome.parts.length === 0)
        refused.push({ file, share, wants: given.outcome.wants });
      if (file.kind !== 'failed' && file.kind !== 'empty') contenders -= 1;
      if (isMedia(file)) media -= 1;
    }
  }

  /**
   * Retries files that could not be paid for, as soon as others leave enough for them and all remaining files keep a
   * share.
   */
  async #giveRefused(refused: Refused[], contenders: number): Promise<void> {
    const { allowance } = this.#all;
    for (const [at, { file, share, wants }] of refused.entries()) {
      const spare = (): Tokens => allowance.tokens - contenders * share;
      if (spare() < wants + NOTE_TOKENS) continue;
      refused.splice(at, 1);
      const need = Math.max(wants, needOf(file, allowance.limits));
      return this.#giveAgain(file, 1, () => Math.min(spare(), need));
    }
  }

  /** Distributes the remainder: first to files not included, small before large. */
  async #handOn(order: readonly ClassifiedFile[]): Promise<void> {
    const { allowance } = this.#all;
    const wanting = order.filter(({ index }) => this.#given[index]?.outcome.wants !== undefined);
    const isRefused = ({ index }: ClassifiedFile): boolean => this.#given[index]?.outcome.parts.length === 0;
    wanting.sort((a, b) => Number(isRefused(b)) - Number(isRefused(a)));
    for (const [turn, file] of wanting.entries()) {
      const waiting = wanting.length - turn;
      await this.#giveAgain(file, waiting, ({ outcome, taken }) => {
        const fair = Math.floor(allowance.tokens / waiting);
        const need = Math.max(outcome.wants ?? 0, needOf(file, allowance.limits)) - taken.tokens;
        return taken.tokens + Math.max(fair, Math.min(allowance.tokens, need));
      });
    }
  }

  /**
   * Repeats a file's turn if its share now covers what it wants; keeps the old outcome unless the new one includes
   * more.
   */
  async #giveAgain(file: ClassifiedFile, waiting: number, shareOf: (given: Given) => Tokens): Promise<void> {
    const { allowance } = this.#all;
    const given = this.#given[file.index];
    if (!given) return;
    this.#lines.expect(file);
    this.#keep();
    const share = shareOf(given);
    if (share < (given.outcome.wants ?? 0)) {
      this.#settle(file, given);
      return;
    }
    this.#onTurn(this.#turn, this.#of);
    allowance.giveBack(given.taken);
    const again = await this.#giveOne(file, share, waiting, false);
    if (again.outcome.tokens > given.outcome.tokens) {
      this.#settle(file, again);
      return;
    }
    allowance.giveBack(again.taken);
    allowance.take(given.taken);
    this.#settle(file, given);
  }

  async #giveOne(file: ClassifiedFile, share: Tokens, media: number, unplaced: boolean): Promise<Given> {
    const { allowance, signal } = this.#all;
    throwIfAborted(signal);
    const before = allowance.taken;
    const turn = { ...this.#all, share, byteShare: Math.floor(allowance.bytes / Math.max(1, media)) };
    const outcome =
      unplaced && file.kind === 'image'
        ? left(file, `the request accepts at most ${allowance.limits.images.value} pictures`, turn)
        : await giveSafely(file, turn);
    return { outcome, taken: allowance.since(before) };
  }

  #settle(file: ClassifiedFile, given: Given): void {
    this.#given[file.index] = given;
    this.#lines.settle(file, given.outcome);
    this.#keep();
  }

  #keep(): void {
    const { tokens } = this.#lines;
    this.#all.allowance.takeTokens(tokens - this.#kept);
    this.#kept = tokens;
  }
}

const isMedia = ({ kind }: ClassifiedFile): boolean => kind === 'image' || kind === 'pdf' || kind === 'audio';

/** An error of one file is reported for that file only. */
async function giveSafely(file: ClassifiedFile, turn: Turn): Promise<Outcome> {
  try {
    return await give(file, turn);
  } catch (error) {
    if (turn.signal.aborted) throw error;
    const { code, message, hint } =
      error instanceof ReaderError
        ? error
        : new ReaderError(
            'INTERNAL',
            'The file could not be prepared because of an internal error in lectern.',
            'Report it, with the first bytes of the file.',
            error,
          );
    return {
      given: file.path === undefined ? 'nothing' : 'reference',
      tokens: 0,
      note: `Not included: ${message}`,
      error: { code, message, hint },
      parts: [],
    };
  }
}

/** Approximate tokens a file would take if unlimited; determines the order. */
function needOf(file: ClassifiedFile, limits: Limits): Tokens {
  switch (file.kind) {
    case 'failed':
    case 'empty':
      return 0;
    case 'image':
      return imageTokens(limits.imageTokens.value, file);
    case 'pdf':
      return file.refused === undefined ? file.pages * limits.pdfTokensPerPage.value : file.bytes / 3;
    case 'audio':
      return limits.audioTypes.value.includes(file.mimeType)
        ? (file.seconds ?? 0) * limits.audioTokensPerSecond.value
        : 0;
    case 'text':
      return file.bytes / 3;
  }
}
