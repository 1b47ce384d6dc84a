// The compactor around a session of the OpenAI Agents SDK: runs start with a compacted view, and the session keeps
// every original item.

import type { AgentInputItem, Session } from '@openai/agents-core';
import { type Compactor, createCompactor } from '../../compactor.ts';
import { checkWindow } from '../../known-window.ts';
import { fingerprint } from '../../ledger/fingerprint.ts';
import { type HistoryOptions, resolveHistory } from '../../options.ts';
import { refuseFormat } from '../conversations.ts';
import { extended } from '../extended.ts';
import { agentItems, originalsOf } from './items.ts';

/** Options of a compactor; the format is fixed. A `state` continues an earlier compactor. */
export type CompactingSessionOptions = Omit<HistoryOptions<AgentInputItem>, 'format'>;

/** The SDK's method for comparing read items with written ones. */
export interface ComparableSession {
  prepareHistoryItemsForPersistenceComparison(items: AgentInputItem[]): AgentInputItem[];
}

/** What a wrapped session adds. */
export interface CompactedSession extends ComparableSession {
  /** For `state`, `restore` and `stats`. */
  readonly compactor: Compactor<AgentInputItem>;
}

/** Methods of the SDK's optional interfaces, by shape. */
interface OwnedReading {
  getItemsWithCompactionOwnership(context?: unknown): Promise<{ items: AgentInputItem[]; ownership: object }>;
}

function hasMethod<T>(session: object, name: keyof T): session is T & object {
  return typeof Reflect.get(session, name) === 'function';
}

const markOf = (item: AgentInputItem): string => fingerprint(agentItems.view(item));

/** The last returned view and its source items. */
interface View {
  readonly marks: readonly string[];
  readonly originals: readonly AgentInputItem[];
  /** Original items of changed ones, by mark. */
  readonly changed: ReadonlyMap<string, AgentInputItem>;
}

/**
 * Wraps `session` so that `getItems()` returns a compacted view, which is never written back. `getItems(limit)`,
 * `popItem` and everything else use the original items, so that what a run stored can be found, removed and replaced.
 * Items added while a view is created are in the next one. A run keeps the view it started with: also use a
 * `compactingModel` if single runs grow long. All optional methods of `session` that exist are kept.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function compactingSession<S extends Session>(
  session: S,
  options: CompactingSessionOptions = {},
): S & CompactedSession {
  refuseFormat('compactingSession', options);
  checkWindow(resolveHistory('compactingSession', options));
  const compactor = createCompactor<AgentInputItem>({ ...options, format: agentItems });
  let last: View = { marks: [], originals: [], changed: new Map() };
  /** View from before the session was cleared; its items may be put back. */
  let emptied: View | null = null;

  async function viewOf(items: AgentInputItem[]): Promise<AgentInputItem[]> {
    if (items.length === 0) return items;
    const compacted = await compactor.compact(items);
    const { messages } = compacted;
    const changed = new Map(
      [...originalsOf(items, compacted)].map(([item, original]) => [markOf(item), structuredClone(original)]),
    );
    const marks = messages.map(markOf);
    const isWhole = messages.length === items.length && changed.size === 0;
    last = { marks, originals: isWhole ? [] : structuredClone(items), changed };
    return messages;
  }

  /** The items, with a view at their start replaced by its source if it was taken from this session. */
  function whole(items: AgentInputItem[]): AgentInputItem[] {
    const view = emptied;
    emptied = null;
    if (!view || view.originals.length === 0 || items.length < view.marks.length) return items;
    if (!view.marks.every((mark, index) => items[index] && markOf(items[index]) === mark)) return items;
    return [...structuredClone(view.originals), ...items.slice(view.marks.length)];
  }

  // The SDK passes the run's context as an extra argument to sessions that ask for it.
  const getItems = async (limit?: number, ...context: unknown[]): Promise<AgentInputItem[]> => {
    const given = limit === undefined && context.length === 0 ? [] : [limit, ...context];
    const items: Promise<AgentInputItem[]> = Reflect.apply(session.getItems, session, given);
    return limit === undefined ? viewOf(await items) : items;
  };
  const addItems = (items: AgentInputItem[], ...context: unknown[]): Promise<void> =>
    Reflect.apply(session.addItems, session, [whole(items), ...context]);
  const clearSession = async (...context: unknown[]): Promise<void> => {
    await Reflect.apply(session.clearSession, session, context);
    emptied = last;
  };

  const methods = {
    compactor,
    getItems,
    addItems,
    clearSession,
    // Changed items are compared in their original form.
    prepareHistoryItemsForPersistenceComparison: (items: AgentInputItem[]): AgentInputItem[] => {
      const { changed } = last;
      const came = items.map((item) => structuredClone(changed.get(markOf(item)) ?? item));
      return hasMethod<ComparableSession>(session, 'prepareHistoryItemsForPersistenceComparison')
        ? session.prepareHistoryItemsForPersistenceComparison(came)
        : came;
    },
    ...(hasMethod<OwnedReading>(session, 'getItemsWithCompactionOwnership') && {
      getItemsWithCompactionOwnership: async (context?: unknown) => {
        const { items, ownership } = await session.getItemsWithCompactionOwnership(context);
        return { items: await viewOf(items), ownership };
      },
    }),
  };
  return extended(session, methods);
}
