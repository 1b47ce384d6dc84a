// Public interface of `lectern/recall`: an archive of what an agent has seen, and a search over it.

export { createPostgresArchives, type PostgresArchives } from './postgres-store.ts';
export {
  type Embedder,
  ENTRY_KINDS,
  type OpenRecallOptions,
  openRecall,
  type Recall,
  type RecallEntry,
  type RecallHit,
  type RecallSearchOptions,
} from './recall.ts';
export type { EntryKind, Match, Passage, RecallStore, StoredPassage, Term } from './store.ts';
