// Public interface of `lectern/plan`: plans, loop guards and their state on disk.

export type { NewTask } from './change.ts';
export type { CompactContextOptions } from './compact-context.ts';
export { createPlanDirectory } from './directory.ts';
export {
  type CallWatch,
  createLoopGuard,
  type Loop,
  type LoopGuard,
  type LoopGuardOptions,
  type LoopGuardState,
  type LoopVerdict,
  type LoopWarning,
} from './loops/guard.ts';
export type { LoopKind } from './loops/pattern.ts';
export type { Call, FinishedCall, Step } from './loops/step.ts';
export { planOutline } from './outline.ts';
export { type OpenPlanOptions, openPlan, type Plan, type Probe, readPlan } from './plan.ts';
export { createPlanMemory, type PlanStorage } from './storage.ts';
export type {
  PlanAction,
  PlanStatus,
  PlanTree,
  ProbeState,
  Question,
  Subtask,
  Task,
} from './tree.ts';
