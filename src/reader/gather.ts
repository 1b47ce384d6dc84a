// Runs the parts of an answer through the cap, and works out which extents of the file they show and omit.

import {
  type Budget,
  type Extent,
  mergeExtents,
  type Next,
  omittedExtents,
  type Part,
  parseRange,
  ReaderError,
  throwIfAborted,
  type Unit,
} from '../contract/index.ts';
import { isRedacted } from '../redact/index.ts';
import { cap } from './cap.ts';
import type { Converted } from './converter.ts';
import { keptOf, type Walk, writeCursor } from './cursor.ts';
import type { Engine } from './engine.ts';
import { followable, prefixOf } from './prefix.ts';
import type { Account } from './render.ts';
import { isFirst, type Session } from './session.ts';

/** The parts that passed the cap, the extents they show, and what was reported. */
export interface Gathered {
  readonly parts: readonly Part[];
  readonly account: Omit<Account, 'warnings'>;
  readonly converted: Converted;
  /** Text above the parts, not content. */
  readonly outline?: string;
}

/** Converts the file through the cap, and works out what the parts show and omit. */
export async function gather(engine: Engine, session: Session, budget: Budget): Promise<Gathered> {
  const { converter } = session;
  // A character takes up to two bytes, here and again in the answer's joined text.
  const most = engine.limits.maxAnswerBytes / 2;
  let characters = 0;
  let held = 0;
  const kept: Part[] = [];
  const extents: Extent[] = [];
  let cellsCut = 0;
  let last: Part['next'];
  let cutAt: Extent | undefined;
  for await (const { part, keptOfView } of cap(converter.parts(budget), budget)) {
    throwIfAborted(session.signal);
    if (part.kind === 'text') characters += part.text.length;
    if (characters > most)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The file has more than ${most} characters, the maximum for one answer (limit \`maxAnswerBytes\`).`,
        'Ask for a part of it, or read it in pieces with `stream` or `lectern read --all`.',
      );
    held += heldBy(part);
    if (held > 2 * engine.limits.maxAnswerBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        'The answer exceeds its maximum size (limit `maxAnswerBytes`).',
        'Ask for a part of it, or read it in pieces with `stream` or `lectern read --all`.',
      );
    kept.push(part);
    if (keptOfView !== undefined && part.kind === 'text') {
      // The processor exceeded the budget. Report the kept characters; the walk repeats the part.
      cutAt = { unit: 'character', from: 1, to: keptOfView, name: 'the part shown last' };
      continue;
    }
    for (const extent of part.shown) extents.push(extent); // more than fit on the stack
    if (part.kind === 'text') cellsCut += part.cellsCut ?? 0;
    last = part.next;
  }
  const converted = converter.converted();
  const { wholes } = converted;
  const shown = mergeExtents(cutAt ? [...extents, cutAt] : extents, wholes);
  const found = omittedExtents(extents, wholes);
  const omitted = found.length === 0 && kept.length === 0 ? unseen(session, converted, budget) : found;
  const unfinished = omitted.length > 0 && (kept.length === 0 || cutAt !== undefined);
  const next = unfinished && !last ? restart(session, omitted, converted) : last;
  return {
    parts: kept,
    account: {
      shown,
      omitted,
      cellsCut,
      isAsAsked: cellsCut === 0 && shown.length > 0 && isAllOf(session, omitted, next),
      next: next ? await nextOf(session, converted, next) : null,
    },
    converted,
  };
}

/** True if the answer shows all of the part that the request selects: nothing follows, or what follows that part. */
function isAllOf(session: Session, omitted: readonly Extent[], next: Part['next']): boolean {
  const { request } = session;
  if (!next) return !isFirst(session);
  const isInside = ({ unit }: Extent): boolean =>
    unit === 'character' || (unit === 'column' && request.columns === undefined);
  return (['lines', 'rows'] as const).some((field) => {
    const [asked, after] = [request[field], next.request?.[field]];
    if (asked === undefined || after === undefined || omitted.some(isInside)) return false;
    const [range, rest] = [parseRange(field, String(asked)), parseRange(field, after)];
    return 'to' in range && 'from' in rest && rest.from === range.to + 1;
  });
}

const FIELDS: Partial<Record<Unit, 'lines' | 'rows' | 'pages'>> = {
  line: 'lines',
  row: 'rows',
  page: 'pages',
};

/**
 * Where the answer should have begun: as a request if it is the start of the file and one request asks for everything.
 */
function restart(session: Session, omitted: readonly Extent[], { processor }: Converted): Next {
  const position = session.cursor?.position ?? [];
  const [all, more] = omitted;
  const field = all && FIELDS[all.unit];
  const isAll = position.length === 0 && more === undefined && all?.name === undefined && all?.from === 1;
  if (!isAll || field === undefined || !processor.selects.includes(field)) return { position };
  return { position, request: { [field]: `${all.from}-${all.to}` } };
}

/** Approximate memory of a part or an extent, besides text and data. */
const OBJECT_BYTES = 200;

function heldBy(part: Part): number {
  const content = part.kind === 'text' ? 2 * (part.text.length + (part.view?.length ?? 0)) : part.data.length;
  return content + OBJECT_BYTES * (1 + part.shown.length);
}

/** The omitted bytes of a file that has nothing to count (`{}`, a number) when none of it fits. */
function unseen({ entered }: Session, { textSize }: Converted, budget: Budget): Extent[] {
  if (budget.tokensBesideNotes >= 1 && budget.charactersBesideNotes >= 1) return [];
  const size = textSize ?? entered.source.size;
  return size === 0 ? [] : [{ unit: 'byte', from: 1, to: size, of: size }];
}

/** A cursor to a place in the content or, with `outline`, in the outline. */
export async function nextOf(
  session: Session,
  { processor, textSize }: Converted,
  next: NonNullable<Part['next']>,
  outline = false,
): Promise<NonNullable<Account['next']>> {
  const { request } = session;
  const kept = keptOf(request, !outline && next.position.length > 0);
  const content =
    request.overflow === 'outline' || (session.cursor && session.cursor.walk !== 'content')
      ? 'content after outline'
      : 'content';
  const walk: Walk = outline ? 'outline' : content;
  const { source } = session.entered;
  const identity = await source.identity();
  const [end] = next.position;
  // For text in another encoding or with a mark, positions are not those of the file.
  const follows =
    processor.follows?.(next.position) === true &&
    walk === 'content' &&
    textSize === source.size &&
    // A digest of the file would tell whether a guess of a secret is right.
    !isRedacted(identity);
  const file = follows ? followable(session.opened, source) : undefined;
  const prefix = file && typeof end === 'number' ? await prefixOf(file, end) : undefined;
  const cursor = {
    processor: processor.name,
    kept,
    walk,
    position: next.position,
    ...(prefix !== undefined && { prefix }),
  };
  return {
    cursor: writeCursor(cursor, identity),
    ...(next.request && { request: next.request }),
    ...(next.skip && { skip: next.skip }),
    ...(next.surroundings && { surroundings: next.surroundings }),
  };
}
