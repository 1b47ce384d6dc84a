// Checks the values read from the files of a plan before the rest of the room relies on their types.

import { isCount } from '../contract/index.ts';
import { isGuardState, type LoopGuardState } from './loops/guard.ts';
import { isStep, type Step } from './loops/step.ts';
import type { PlanAction, PlanTree } from './tree.ts';

/** Leaves room for later revisions below `Number.MAX_SAFE_INTEGER`. */
const MAX_COUNT = 2 ** 52;
const STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed', 'blocked'];

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Whether `value` is a revision or a number of bytes. */
export const isStoredCount = (value: unknown): value is number => isCount(value, MAX_COUNT);

export function isStoredTree(value: unknown): value is PlanTree {
  if (!isFields(value)) return false;
  const { goal, status, escalation, tasks, questions, probes, current } = value;
  return (
    isText(goal) &&
    STATUSES.includes(status) &&
    isOptionalText(escalation) &&
    isOptionalText(current) &&
    isListOf(tasks, isTask) &&
    isListOf(questions, isQuestion) &&
    isFields(probes) &&
    Object.values(probes).every(isProbeValue)
  );
}

export function isStoredAction(value: unknown): value is PlanAction {
  if (!isFields(value)) return false;
  const { tool, target, failed, outcome } = value;
  return isText(tool) && isText(target) && typeof failed === 'boolean' && isText(outcome);
}

/** Undefined is the guard of a plan that has observed no call. */
export const isStoredGuard = (value: unknown): value is LoopGuardState | undefined =>
  value === undefined || isGuardState(value);

/** Undefined belongs to a change without a call. */
export const isStoredStep = (value: unknown): value is Step | undefined =>
  value === undefined || isStep(value);

/** What a probe may answer. */
export const isProbeValue = (value: unknown): value is boolean | number | string =>
  typeof value === 'boolean' || Number.isFinite(value) || isText(value);

function isTask(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { id, title, status, escalation, subtasks } = value;
  return (
    isText(id) &&
    isText(title) &&
    STATUSES.includes(status) &&
    isOptionalText(escalation) &&
    isListOf(subtasks, isSubtask)
  );
}

function isSubtask(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { id, title, status, failures, lastFailure, actions, actionCount } = value;
  return (
    isText(id) &&
    isText(title) &&
    STATUSES.includes(status) &&
    isStoredCount(failures) &&
    isOptionalText(lastFailure) &&
    isListOf(actions, isStoredAction) &&
    isStoredCount(actionCount)
  );
}

function isQuestion(value: unknown): boolean {
  return isFields(value) && isText(value['id']) && isText(value['text']) && isOptionalText(value['answer']);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);
