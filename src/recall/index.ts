// The recall room's front: an archive of what an agent has seen, and how it finds it again.

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
