// Tier 5: which groups are removed, oldest first by default. The notice is made elsewhere.

import type { Group } from '../../ledger/groups.ts';
import type { Draft } from '../draft.ts';
import { candidatesOf, type ImportanceCandidate } from '../importance.ts';

/** What stays regardless of cost. */
export interface Keeping {
  /** The newest groups that together cost at most this stay. */
  readonly recentTokens: number;
  /** Whether the caller keeps the message with this draft number. */
  isPinned(message: number): boolean;
}

/** Groups with a pinned message. */
export function pinnedGroups<M>(draft: Draft<M>, { isPinned }: Keeping): Set<number> {
  const pinned = new Set<number>();
  draft.conversation.groups.forEach(({ places }, number) => {
    if (places.some(({ message }) => isPinned(message))) pinned.add(number);
  });
  return pinned;
}

/**
 * Groups that are never removed: instructions, the user's first and newest message, the newest turn, pinned messages.
 */
export function protectedGroups<M>(draft: Draft<M>, keeping: Keeping): Set<number> {
  const { groups } = draft.conversation;
  const kept = new Set<number>();
  groups.forEach(({ kind, open, places }, number) => {
    if (kind === 'system' || open || places.some(({ message }) => keeping.isPinned(message)))
      kept.add(number);
  });
  kept.add(groups.findIndex(({ kind }) => kind === 'user'));
  for (const own of ['user', 'turn']) kept.add(groups.findLastIndex(({ kind }) => kind === own));
  let recent = 0;
  for (let number = groups.length - 1; number >= 0; number -= 1) {
    const group = groups[number];
    if (!group) break;
    recent += draft.groupCost(group);
    if (recent > keeping.recentTokens) break;
    kept.add(number);
  }
  // Signed reasoning that a later turn continues.
  for (const number of [...kept]) kept.add(groups[number]?.leader ?? -1);
  kept.delete(-1);
  return kept;
}

/** Tokens of the draft if only these groups stay. */
export function tokensOf<M>(draft: Draft<M>, kept: ReadonlySet<number>): number {
  let going = 0;
  draft.conversation.groups.forEach((group, number) => {
    if (!kept.has(number)) going += draft.groupCost(group);
  });
  return draft.tokens - going;
}

/** Groups that also stay in every later prompt: `protectedGroups` without the newest turn. */
export function lastingGroups<M>(draft: Draft<M>, keeping: Keeping): Set<number> {
  const pinned = pinnedGroups(draft, keeping);
  const { groups } = draft.conversation;
  const kept = [...protectedGroups(draft, { ...keeping, recentTokens: 0 })];
  return new Set(kept.filter((number) => groups[number]?.kind !== 'turn' || pinned.has(number)));
}

/**
 * Groups to remove until `isEnough` accepts their total cost. Earlier notices go with the first, because they are
 * restated.
 */
export function leavingGroups<M>(
  draft: Draft<M>,
  keeping: Keeping,
  order: readonly number[],
  isEnough: (tokens: number, messages: number) => boolean,
): number[] {
  const { groups } = draft.conversation;
  const chosen: number[] = [];
  let tokens = 0;
  let messages = 0;
  const kept = protectedGroups(draft, keeping);
  for (const number of order) {
    if (isEnough(tokens, messages)) break;
    const group = groups[number];
    if (!group || kept.has(number)) continue;
    chosen.push(number);
    tokens += draft.leavingCost(group);
    messages += new Set(group.places.map(({ message }) => message)).size;
  }
  if (chosen.length === 0) return [];
  const notices = groups.flatMap(({ kind }, number) => (kind === 'notice' ? [number] : []));
  return [...notices.filter((number) => !draft.gone.has(number)), ...chosen];
}

/** Groups that may be removed, oldest first. */
export function removable<M>(
  draft: Draft<M>,
  kept: ReadonlySet<number>,
): { readonly turns: readonly number[]; readonly users: readonly number[] } {
  const of = (own: Group['kind']): number[] =>
    draft.conversation.groups.flatMap(({ kind }, number) =>
      kind === own && !kept.has(number) && !draft.gone.has(number) ? [number] : [],
    );
  return { turns: of('turn'), users: of('user') };
}

/** Groups by worth, least first, of equals the older; a group that others depend on comes after the last of them. */
export function inOrder<M>(
  { conversation: { groups } }: Draft<M>,
  numbers: readonly number[],
  worth: (number: number) => number,
): number[] {
  const needed = new Map<number, number>();
  for (const number of numbers) {
    const leader = groups[number]?.leader ?? null;
    if (leader !== null) needed.set(leader, Math.max(needed.get(leader) ?? 0, worth(number)));
  }
  const rank = (number: number): number => Math.max(worth(number), needed.get(number) ?? 0);
  const leads = (number: number): number => (needed.has(number) ? 1 : 0);
  return [...numbers].sort((a, b) => rank(a) - rank(b) || leads(a) - leads(b) || a - b);
}

/** Turns, then user messages: oldest first, or by the scores of the caller's function if it gives any. */
export async function turnsFirst<M>(
  draft: Draft<M>,
  kept: ReadonlySet<number>,
  score: ((candidates: readonly ImportanceCandidate[]) => Promise<readonly number[] | null>) | null,
): Promise<readonly number[]> {
  const { turns, users } = removable(draft, kept);
  const all = [...turns, ...users].sort((a, b) => a - b);
  const scores = score && (await score(candidatesOf(draft, all)));
  const byGroup = new Map(all.map((number, at) => [number, scores?.[at] ?? number]));
  return [turns, users].flatMap((own) => inOrder(draft, own, (number) => byGroup.get(number) ?? 0));
}
