// One read: takes a session's file through conversion, cap and notes to an answer.

import {
  OWN,
  type Part,
  plural,
  ReaderError,
  type TextPart,
  type Tokens,
  viewOf,
} from '../contract/index.ts';
import { assemble, warningsOf } from './assemble.ts';
import { createBudget, noteReserve } from './budget.ts';
import { wholeOf } from './converter.ts';
import { damageNote } from './damage-note.ts';
import type { Engine } from './engine.ts';
import { type Gathered, gather } from './gather.ts';
import { overviewOf } from './overview.ts';
import { isCut, joinViews, leastNote, type Space } from './render.ts';
import { budgetOf, type ReadRequest } from './request.ts';
import type { FileExtractionResult } from './result.ts';
import { isFirst, type Session } from './session.ts';
import type { Input } from './source/input.ts';
import { restartSession, withSession } from './start.ts';

/** The context of one file's answer among several. */
export interface Place {
  /** Text before the answer, inside the budget. */
  readonly heading: string;
  /** Its budget is a share of a larger one: a small one mostly shows an outline. */
  readonly among: boolean;
}

const ALONE: Place = { heading: '', among: false };

/** The answer for one file. @throws {ReaderError} */
export async function readOne(
  engine: Engine,
  input: Input,
  request: ReadRequest,
  { heading, among }: Place = ALONE,
): Promise<FileExtractionResult> {
  return withSession(engine, input, request, async (session) => {
    const budget = budgetOf(session.request, engine.limits);
    const tokens = Math.max(0, budget - (heading === '' ? 0 : engine.counter.count(heading)));
    const inOutline = session.cursor?.walk === 'outline';
    const overflow = session.request.overflow ?? 'truncate';
    const asked: Asked = { engine, session, tokens, among };
    // With an outline, only the facts of the omitted content are needed.
    let gathered = inOutline
      ? await gather(engine, session, createBudget(engine, 0))
      : await fitted(asked, overflow === 'truncate');
    if (isPart(gathered) && overflow === 'error') throw await overBudget(engine, session, request, budget);
    if (inOutline || (isPart(gathered) && overflow === 'outline' && !session.cursor)) {
      const { outlined } = await import('./outline.ts');
      const content = gathered;
      gathered = await outlined(engine, session, content, createBudget(engine, tokens));
      // The format has no outline to show instead.
      if (gathered.parts === content.parts) gathered = await introduced(asked, gathered);
    }
    if (session.cursor && gathered.account.next?.cursor === request.cursor) throw stuck(budget);
    const warnings = await warningsOf(session, gathered, engine);
    const { said } = request;
    const { source } = session.entered;
    const file = `${source.name}\0${said ? await source.identity() : ''}`;
    const notes = said?.unsaid(file, gathered.converted.processor, warnings) ?? warnings;
    const answer = assemble(
      session,
      gathered,
      { warnings, notes },
      spaceBelow(asked, gathered.outline),
      heading,
    );
    said?.add(file, notes, answer.text);
    return answer;
  });
}

/** A file to answer for in `tokens`. */
interface Asked {
  readonly engine: Engine;
  readonly session: Session;
  readonly tokens: Tokens;
  readonly among: boolean;
}

const isPart = ({ account }: Gathered): boolean => account.omitted.length > 0 || account.cellsCut > 0;

/**
 * Tokens left below an outline that hold little more than the note; one file among several then shows only the outline.
 */
const FEW: Tokens = 50;

/**
 * The content that fits; with `cut`, below the outline of a file of which not all fits. Where that is to be expected,
 * the outline comes first, so that its cost is known and the content is fitted once.
 */
async function fitted(asked: Asked, cut: boolean): Promise<Gathered> {
  const { engine, session, tokens } = asked;
  // If the outline fails, the content may fail with an error that says more.
  const early = cut && expectsCut(asked) ? await outlineOf(asked).catch(() => undefined) : undefined;
  const first = await gather(engine, session, createBudget(engine, tokens, besides(asked, early)));
  if (tokens === Number.POSITIVE_INFINITY || first.converted.interrupted) return described(asked, first);
  const space = spaceBelow(asked);
  if (cut && (isPart(first) || overOf(first, space, neededBy(first, space)) > 0))
    return introduced(asked, first, early);
  return described(asked, await refitted(asked, first), early);
}

/** Bytes of a file for each token of an answer in which less than the whole is to be expected. */
const BYTES_A_TOKEN = 3;

/** A document's size says little about its text. Its outline is at hand once its content is read, but not before. */
function expectsCut({ session, tokens }: Asked): boolean {
  const { introduces, keeps } = session.detected.processor;
  return introduces === 'always' || (!keeps && session.entered.source.size > BYTES_A_TOKEN * tokens);
}

async function outlineOf({ engine, session, tokens, among }: Asked): Promise<string | undefined> {
  return isFirst(session) ? overviewOf(engine, session, tokens, among) : undefined;
}

/** What is deducted from the budget for `outline` and the notes. */
function besides(asked: Asked, outline: string | undefined): Parameters<typeof createBudget>[2] {
  if (outline === undefined) return {};
  const { tokens: left } = spaceBelow(asked, outline);
  return {
    above: { tokens: asked.tokens - left, characters: outline.length },
    ...(asked.among && left < FEW && { notes: left }),
  };
}

/** `content`, of which not all fits, below the outline of its file; `early`: already fitted to what that leaves. */
async function introduced(asked: Asked, content: Gathered, early?: string): Promise<Gathered> {
  const { engine, session, tokens, among } = asked;
  if (content.converted.interrupted) return content;
  const outline = early ?? (await outlineOf(asked));
  if (outline === undefined) return refitted(asked, content);
  const space = spaceBelow(asked, outline);
  const below =
    early === undefined
      ? await gather(engine, session, createBudget(engine, tokens, besides(asked, outline)))
      : content;
  return { ...(among && space.tokens < FEW ? below : await refitted(asked, below, outline)), outline };
}

/** The whole file below its outline, if it has one that says more and there is room for both. */
async function described(asked: Asked, content: Gathered, early?: string): Promise<Gathered> {
  const { detected, request } = asked.session;
  const { converted, account, parts } = content;
  const isWanted = detected.processor.introduces === 'always' && !request.all && request.format !== 'json';
  if (!isWanted || converted.interrupted || isPart(content) || account.next) return content;
  const outline = early ?? (await outlineOf(asked));
  if (outline === undefined) return content;
  const notes = converted.warnings.map(({ message }) => `${OWN.note}${message}]\n`);
  const text = [...parts.filter(isText).map(viewOf), ...notes].join('');
  const { tokens, characters, counter } = spaceBelow(asked, outline);
  return text.length <= characters && counter.fits(text, tokens) ? { ...content, outline } : content;
}

/** What content and notes may take below `outline`. */
function spaceBelow({ engine, tokens }: Asked, outline = ''): Space {
  const { counter, limits } = engine;
  if (tokens === Number.POSITIVE_INFINITY) return { tokens, characters: tokens, counter };
  return {
    tokens: Math.max(0, tokens - (outline === '' ? 0 : counter.count(outline))),
    characters: Math.max(0, limits.maxTotalOutput - outline.length),
    counter,
  };
}

/** Tokens by which the note of another cut may be longer. */
const NOTE_MARGIN = 8;

/** Content that every answer has room for; without it a walk would not go on. */
const LEAST_CONTENT: Tokens = 5;

/** Tokens of the notes that no answer should be without: how to continue, and that the file is damaged. */
function neededBy({ account, converted }: Gathered, { tokens, counter }: Space): Tokens {
  const least = isCut(account) ? leastNote(account, counter) : 0;
  const damage = damageNote(converted.warnings);
  const noted = damage === '' ? 0 : counter.count(damage);
  return (least + NOTE_MARGIN > tokens / 2 ? 0 : least) + (noted > tokens - LEAST_CONTENT ? 0 : noted);
}

/** Tokens of `gathered`, with the notes it needs, that `space` has no room for. */
function overOf(gathered: Gathered, { tokens, characters, counter }: Space, needed: Tokens): Tokens {
  if (needed === 0) return 0;
  const body = joinViews(gathered.parts.filter(isText));
  if (body.length <= characters && counter.fits(body, tokens - needed)) return 0;
  return Math.max(1, counter.count(body) + needed - tokens);
}

/** `gathered` if it fits with the notes it needs; otherwise what fits if as much is reserved for them. */
async function refitted(asked: Asked, gathered: Gathered, outline = ''): Promise<Gathered> {
  const { engine, session } = asked;
  const space = spaceBelow(asked, outline);
  const needed = neededBy(gathered, space);
  if (gathered.converted.interrupted || overOf(gathered, space, needed) === 0) return gathered;
  const notes = noteReserve(space.tokens);
  const above = { tokens: 0, characters: outline.length };
  // The whole file would fit without the note that it is damaged.
  const budget = isCut(gathered.account)
    ? createBudget(engine, space.tokens, { above, notes: Math.max(notes, needed + NOTE_MARGIN) })
    : createBudget(engine, space.tokens - needed, { above, notes });
  return gather(engine, session, budget);
}

const isText = (part: Part): part is TextPart => part.kind === 'text';

/** A budget at which every format makes progress; the fixtures of every format do with 8. */
const ENOUGH = 100;

/** Rejects a continuation whose answer would end where it began, which would loop forever. */
const stuck = (tokens: Tokens): ReaderError =>
  new ReaderError(
    'BAD_INPUT',
    `A budget of ${plural(tokens, 'token')} is too small to continue from this cursor.`,
    `Set \`maxTokens\` to ${ENOUGH} or more.`,
  );

/** The error for `overflow: "error"`, naming the limit and a value that holds the whole file. */
async function overBudget(
  engine: Engine,
  session: Session,
  asked: ReadRequest,
  tokens: Tokens,
): Promise<ReaderError> {
  const { total, exact, characters } = await sizeOfWhole(engine, session, asked);
  const { maxTotalOutput } = engine.limits;
  if (total > tokens)
    return new ReaderError(
      'OVER_BUDGET',
      `The file needs ${exact ? '' : 'at most '}${plural(total, 'token')}, more than the ${tokens} allowed.`,
      `Set \`maxTokens\` to ${total}, or \`all\` to true for the whole file.`,
    );
  if (characters > maxTotalOutput)
    return new ReaderError(
      'OVER_BUDGET',
      `The file has ${characters} characters, more than the ${maxTotalOutput} that \`maxTotalOutput\` allows.`,
      `Set \`maxTotalOutput\` to ${characters}, or \`all\` to true for the whole file.`,
    );
  return new ReaderError(
    'OVER_BUDGET',
    `The file needs ${plural(total, 'token')}, which fits the budget, but it exceeds the limits of its format.`,
    'Set `all` to true for the whole file, or omit `overflow` to see what fits.',
  );
}

/** `exact` is false if `total` is an upper bound: past 4 MiB, a token is taken to be one byte. */
async function sizeOfWhole(
  engine: Engine,
  session: Session,
  asked: ReadRequest,
): Promise<{ readonly total: Tokens; readonly exact: boolean; readonly characters: number }> {
  const whole = await restartSession(engine, session, { ...asked, all: true });
  let total = 0;
  let characters = 0;
  let exact = true;
  try {
    for await (const part of wholeOf(engine, whole.converter)) {
      if (part.kind !== 'text') continue;
      const view = viewOf(part);
      characters += view.length;
      if (total > 4 * 1024 * 1024) exact = false;
      total += exact ? engine.counter.count(view) : Buffer.byteLength(view);
    }
  } finally {
    await whole.converter.end();
  }
  return { total, exact, characters };
}
