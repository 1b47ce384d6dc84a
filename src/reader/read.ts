// One read: a session's file through conversion, cap and notes to an answer.

import { plural, ReaderError, type Tokens, viewOf } from '../contract/index.ts';
import { assemble, warningsOf } from './assemble.ts';
import { createBudget } from './budget.ts';
import { wholeOf } from './converter.ts';
import type { Engine } from './engine.ts';
import { gather } from './gather.ts';
import { budgetOf, type ReadRequest } from './request.ts';
import type { FileExtractionResult } from './result.ts';
import type { Session } from './session.ts';
import type { Input } from './source/input.ts';
import { restartSession, withSession } from './start.ts';

/** The answer for one file; `heading` stands before its text, inside the budget. @throws {ReaderError} */
export async function readOne(
  engine: Engine,
  input: Input,
  request: ReadRequest,
  heading = '',
): Promise<FileExtractionResult> {
  return withSession(engine, input, request, async (session) => {
    const tokens = budgetOf(session.request, engine.limits);
    const headed = tokens - (heading === '' ? 0 : engine.counter.count(heading));
    const budget = createBudget(engine, Math.max(0, headed));
    const inOutline = session.cursor?.walk === 'outline';
    // Of the content an outline leaves out, only the facts are needed.
    let gathered = await gather(engine, session, inOutline ? createBudget(engine, 0) : budget);
    const partial = gathered.account.omitted.length > 0 || gathered.account.cellsCut > 0;
    const overflow = session.request.overflow ?? 'truncate';
    if (partial && overflow === 'error') throw await overBudget(engine, session, request, tokens);
    if (inOutline || (partial && overflow === 'outline' && !session.cursor))
      gathered = await (await import('./outline.ts')).outlined(engine, session, gathered, budget);
    if (session.cursor && gathered.account.next?.cursor === request.cursor) throw stuck(tokens);
    const warnings = await warningsOf(session, gathered);
    return assemble(session, gathered, warnings, budget, heading);
  });
}

/** Tokens within which every format moves on; the fixtures of every format do within 8. */
const ENOUGH = 100;

/** The refusal of a continuation whose answer would end where it began: who follows its cursors would never finish. */
const stuck = (tokens: Tokens): ReaderError =>
  new ReaderError(
    'BAD_INPUT',
    `A budget of ${plural(tokens, 'token')} is too small to continue from this cursor.`,
    `Set \`maxTokens\` to ${ENOUGH} or more.`,
  );

/** The refusal of `overflow: "error"`, naming a limit that is sure to hold the whole file. */
async function overBudget(
  engine: Engine,
  session: Session,
  asked: ReadRequest,
  tokens: Tokens,
): Promise<ReaderError> {
  const whole = await restartSession(engine, session, { ...asked, all: true });
  let total = 0;
  let exact = true;
  try {
    for await (const part of wholeOf(engine, whole.converter)) {
      if (part.kind !== 'text') continue;
      const view = viewOf(part);
      // Past 4 MiB counting is dropped for the bound that always holds: a token is at least one byte.
      if (total > 4 * 1024 * 1024) exact = false;
      total += exact ? engine.counter.count(view) : Buffer.byteLength(view);
    }
  } finally {
    await whole.converter.end();
  }
  if (total <= tokens)
    return new ReaderError(
      'OVER_BUDGET',
      `The file needs ${total} tokens, which are allowed, but does not fit the limits of its format.`,
      'Set `all` to true for the whole file, or leave `overflow` out to see what fits.',
    );
  return new ReaderError(
    'OVER_BUDGET',
    `The file needs ${exact ? '' : 'at most '}${total} tokens, more than the ${tokens} allowed.`,
    `Ask for a part of it, or set \`maxTokens\` to ${total} and \`all\` to true.`,
  );
}
