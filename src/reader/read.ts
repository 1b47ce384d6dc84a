// One read: takes a session's file through conversion, cap and notes to an answer.

import {
  type Budget,
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
import { escapesIn, isCut, leastNote } from './render.ts';
import { budgetOf, type ReadRequest, SELECTION_FIELDS } from './request.ts';
import type { FileExtractionResult } from './result.ts';
import type { Session } from './session.ts';
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
    const tokens = budgetOf(session.request, engine.limits);
    const headed = tokens - (heading === '' ? 0 : engine.counter.count(heading));
    const room = Math.max(0, headed);
    const budget = createBudget(engine, room);
    const inOutline = session.cursor?.walk === 'outline';
    // With an outline, only the facts of the omitted content are needed.
    let gathered = inOutline
      ? await gather(engine, session, createBudget(engine, 0))
      : await fitted(engine, session, room);
    const partial = gathered.account.omitted.length > 0 || gathered.account.cellsCut > 0;
    const overflow = session.request.overflow ?? 'truncate';
    if (partial && overflow === 'error') throw await overBudget(engine, session, request, tokens);
    const content = gathered;
    if (inOutline || (partial && overflow === 'outline' && !session.cursor))
      gathered = await (await import('./outline.ts')).outlined(engine, session, gathered, budget);
    // Also if the format has no outline to show instead.
    if (gathered.parts === content.parts && isFirst(session))
      gathered = partial
        ? await introduced(engine, session, gathered, room, among)
        : await described(engine, session, gathered, room, among);
    if (session.cursor && gathered.account.next?.cursor === request.cursor) throw stuck(tokens);
    const warnings = await warningsOf(session, gathered);
    const { outline } = gathered;
    const beside = outline === undefined ? budget : below(engine, room, outline);
    return assemble(session, gathered, warnings, beside, heading);
  });
}

/** True if a request asks for a file without selecting a part. */
const isFirst = ({ request, cursor }: Session): boolean =>
  cursor === undefined && SELECTION_FIELDS.every((field) => request[field] === undefined);

/** `gathered`, with the outline of the file above as much content as the budget leaves. */
async function introduced(
  engine: Engine,
  session: Session,
  gathered: Gathered,
  tokens: Tokens,
  among: boolean,
): Promise<Gathered> {
  if (gathered.converted.interrupted) return gathered;
  const outline = await overviewOf(engine, session, tokens, among);
  if (outline === undefined) return gathered;
  const { tokens: left } = below(engine, tokens, outline);
  if (among && left < FEW) {
    const taken = { notes: left, characters: outline.length };
    return { ...(await gather(engine, session, createBudget(engine, left, taken))), outline };
  }
  return { ...(await fitted(engine, session, left, outline.length)), outline };
}

/**
 * Tokens left below an outline that hold little more than the note; one file among several then shows only the outline.
 */
const FEW: Tokens = 50;

/** The whole file below its outline, if it has one that says more and there is room for both. */
async function described(
  engine: Engine,
  session: Session,
  gathered: Gathered,
  tokens: Tokens,
  among: boolean,
): Promise<Gathered> {
  const { detected, request } = session;
  const isWanted = detected.processor.introduces === 'always' && !request.all && request.format !== 'json';
  if (!isWanted || gathered.converted.interrupted || gathered.account.next) return gathered;
  const outline = await overviewOf(engine, session, tokens, among);
  if (outline === undefined) return gathered;
  const left = below(engine, tokens, outline);
  const notes = gathered.converted.warnings.map(({ message }) => `${OWN.note}${message}]\n`);
  const text = [...gathered.parts.filter(isText).map(viewOf), ...notes].join('');
  return left.fits(text, left.tokens, left.characters) ? { ...gathered, outline } : gathered;
}

/** The budget that remains below `outline` in an answer of `tokens`. */
const below = (engine: Engine, tokens: Tokens, outline: string): Budget =>
  createBudget(engine, Math.max(0, tokens - engine.counter.count(outline)), { characters: outline.length });

/** Tokens by which the cursor of another cut may be longer. */
const CURSOR_MARGIN = 8;

/** Content that every answer has room for; without it a walk would not go on. */
const LEAST_CONTENT: Tokens = 5;

/** Maximum number of conversions to find content that leaves room for its note. */
const MAX_TRIES = 4;

/**
 * The content that fits beside its note and the escapes of lines that look like notes: if those need more than usual,
 * the content gets less.
 */
async function fitted(engine: Engine, session: Session, tokens: Tokens, characters = 0): Promise<Gathered> {
  const whole = createBudget(engine, tokens, { characters });
  let notes = noteReserve(tokens);
  let escapes = { tokens: 0, characters: 0 };
  for (let left = MAX_TRIES; ; left -= 1) {
    const room = Math.max(0, tokens - escapes.tokens);
    const taken = { notes, characters: characters + escapes.characters };
    const gathered = await gather(engine, session, createBudget(engine, room, taken));
    if (left === 1 || tokens === Number.POSITIVE_INFINITY || gathered.converted.interrupted) return gathered;
    const cut = isCut(gathered.account);
    const damage = damageNote(gathered.converted.warnings);
    const damageTokens = damage === '' ? 0 : whole.count(damage) + 1;
    const noted = damageTokens > tokens - LEAST_CONTENT ? 0 : damageTokens;
    const least = cut ? leastNote(gathered.account, whole.count) + CURSOR_MARGIN : 0;
    const needed = (least > tokens / 2 ? 0 : least) + noted;
    const escaped = escapesIn(gathered.parts.filter(isText), whole, noted === 0 ? '' : damage);
    if (!cut && escaped.fits) return gathered;
    // The whole file fits, but not with the note that it is damaged.
    const found = cut ? escaped : { ...escaped, tokens: escaped.tokens + noted };
    if (needed <= notes && found.tokens <= escapes.tokens && found.characters <= escapes.characters)
      return gathered;
    notes = Math.max(notes, needed);
    escapes = {
      tokens: Math.max(escapes.tokens, found.tokens),
      characters: Math.max(escapes.characters, found.characters),
    };
  }
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
