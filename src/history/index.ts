// Public entry of the history folder: keeps a conversation inside its model's window.

export { modelFacts, type ProfileName } from '../models/index.ts';
export type { Restored } from './archive/restored.ts';
export { createMemoryStorage, type HistoryStorage } from './archive/storage.ts';
export { type HistoryWorkspace, workspaceStorage } from './archive/workspace-storage.ts';
export type { CallOptions } from './call-options.ts';
export type { Codec, CodecName, ProviderRules } from './codecs/codec.ts';
export { CODECS, codecOf, detectCodec } from './codecs/index.ts';
export { createLangChainCodec, type LangChainClasses } from './codecs/langchain/codec.ts';
export {
  type Change,
  type ChangeAt,
  createCodec,
  type Format as MessageFormat,
  type Path,
  type Place,
  type Reading,
  type Slot,
  slot,
  type Writes,
} from './codecs/lens.ts';
export {
  type CallForm,
  type Edit,
  type Item,
  type ItemKind,
  item,
  type MediaFacts,
  type MessageView,
  type OpenCall,
  type Role,
} from './codecs/message.ts';
export {
  type ArrivedResult,
  type ArrivingResult,
  type Compacted,
  type CompactedOnce,
  type Compactor,
  compact,
  createCompactor,
} from './compactor.ts';
export { createEstimator, type Estimator } from './cost/estimate.ts';
export { recovering } from './integrations/conversations.ts';
export {
  createHistoryProcessor,
  type HistoryProcessor,
  type HistoryProcessorOptions,
} from './integrations/plain.ts';
export type { HistoryState } from './ledger/state.ts';
export type { HistoryOptions } from './options.ts';
export type { Importance, ImportanceCandidate } from './policy/importance.ts';
export type { Cut, Policy, PresetName } from './policy/policy.ts';
export { PRESET_NAMES, type Preset, presetOf } from './policy/presets.ts';
export type { Threshold } from './policy/threshold.ts';
export type { Shorten, ShortenCandidate } from './policy/tiers/mask.ts';
export type { ToolRole } from './policy/tool-roles.ts';
export { historyPromptSegment, type PromptSegmentOptions } from './prompt-segment.ts';
export type { HistoryRecall, RecallText } from './recall.ts';
export { type Repaired, repair } from './repair.ts';
export type {
  HistoryStats,
  Problem,
  Repair,
  Report,
  Size,
  SummaryReport,
  Tier,
  TierReport,
} from './report.ts';
export type { Summarizer, SummaryAnswer, SummaryRequest } from './summary/summarizer.ts';
