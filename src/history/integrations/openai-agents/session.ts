// The compactor around a session of the OpenAI Agents SDK: runs begin with a compacted view, the session itself keeps every
// item as it came.

import type { AgentInputItem, Session } from '@openai/agents-core';
import { type Compactor, createCompactor } from '../../compactor.ts';
import { fingerprint } from '../../ledger/fingerprint.ts';
import { type HistoryOptions, resolveHistory } from '../../options.ts';
import { refuseFormat } from '../conversations.ts';
import { editedMessages } from '../edited.ts';
import { extended } from '../extended.ts';
import { agentItems } from './items.ts';

/** As for a compactor; the format is known. A `state` goes on with what an earlier one decided. */
export type CompactingSessionOptions = Omit<HistoryOptions<AgentInputItem>, 'format'>;

/** How the SDK compares what it has read with what it has written. */
export interface ComparableSession {
  prepareHistoryItemsForPersistenceComparison(items: AgentInputItem[]): AgentInputItem[];
}

/** What a session around another has besides. */
export interface CompactedSession extends ComparableSession {
  /** For `state`, `restore` and `stats`. */
  readonly compactor: Compactor<AgentInputItem>;
}

/** Methods of the SDK's optional interfaces, by shape: a session has them or not. */
interface OwnedReading {
  getItemsWithCompactionOwnership(context?: unknown): Promise<{ items: AgentInputItem[]; ownership: object }>;
}

function hasMethod<T>(session: object, name: keyof T): session is T & object {
  return typeof Reflect.get(session, name) === 'function';
}

const markOf = (item: AgentInputItem): string => fingerprint(agentItems.view(item));

/** A view as it was given last, and what it is a view of. */
interface View {
  readonly marks: readonly string[];
  readonly originals: readonly AgentInputItem[];
  /** What an item was before it was changed, by its mark. */
  readonly changed: ReadonlyMap<string, AgentInputItem>;
}

/**
 * `session` with a compacted view: `getItems()` gives it, and nothing of it is ever written. `getItems(limit)`, `popItem` and
 * everything else act on the items as they came, so that what a run has stored can be found, taken back and replaced; items
 * added while a view is made are in the next one. A run works on with the view it began with: give the agent a
 * `compactingModel` too where single runs grow long. All optional methods of `session` stay, as far as it has them.
 * @throws {ReaderError} BAD_INPUT for options that are none
 */
export function compactingSession<S extends Session>(
  session: S,
  options: CompactingSessionOptions = {},
): S & CompactedSession {
  refuseFormat('compactingSession', options);
  resolveHistory('compactingSession', options);
  const compactor = createCompactor<AgentInputItem>({ ...options, format: agentItems });
  let last: View = { marks: [], originals: [], changed: new Map() };
  /** The session was emptied; what was in it may be put back. */
  let emptied: View | null = null;

  async function viewOf(items: AgentInputItem[]): Promise<AgentInputItem[]> {
    if (items.length === 0) return items;
    const { messages } = await compactor.compact(items);
    const changed = new Map(
      editedMessages(agentItems, items, messages).map(({ message, original }) => [
        markOf(message),
        structuredClone(original),
      ]),
    );
    const marks = messages.map(markOf);
    const isWhole = messages.length === items.length && changed.size === 0;
    last = { marks, originals: isWhole ? [] : structuredClone(items), changed };
    return messages;
  }

  /** The items, where they begin with a view that was taken out of the session, with what it was a view of. */
  function whole(items: AgentInputItem[]): AgentInputItem[] {
    const view = emptied;
    emptied = null;
    if (!view || view.originals.length === 0 || items.length < view.marks.length) return items;
    if (!view.marks.every((mark, index) => items[index] && markOf(items[index]) === mark)) return items;
    return [...structuredClone(view.originals), ...items.slice(view.marks.length)];
  }

  // The SDK hands the context of a run to sessions that ask for it, behind the arguments of each method.
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
    // What was changed in a view is compared as it came.
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
