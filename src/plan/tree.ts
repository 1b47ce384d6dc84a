// A plan as a tree of JSON values: goal, tasks, subtasks, actions.

export type PlanStatus = 'pending' | 'in_progress' | 'completed' | 'blocked';

/** A tool call in a plan. */
export interface PlanAction {
  readonly tool: string;
  /** What it worked on, such as a path; up to 120 characters. */
  readonly target: string;
  readonly failed: boolean;
  /** Its result, shortened to 200 characters. */
  readonly outcome: string;
}

export interface Subtask {
  /** `2.1` is the first of the second task. Never changes. */
  readonly id: string;
  readonly title: string;
  readonly status: PlanStatus;
  /** Number of failures. The second blocks it. */
  readonly failures: number;
  readonly lastFailure?: string;
  /** The last 20. */
  readonly actions: readonly PlanAction[];
  /** Number of actions so far. */
  readonly actionCount: number;
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: PlanStatus;
  /** Why it needs a decision: the failures of its blocked subtasks. */
  readonly escalation?: string;
  readonly subtasks: readonly Subtask[];
}

/** A question for the user. */
export interface Question {
  /** `q1`, `q2`, … */
  readonly id: string;
  readonly text: string;
  readonly answer?: string;
}

/** Facts about the world, from the caller's probes: `tests pass: false`. */
export type ProbeState = Readonly<Record<string, boolean | number | string>>;

export interface PlanTree {
  readonly goal: string;
  readonly status: PlanStatus;
  readonly escalation?: string;
  readonly tasks: readonly Task[];
  readonly questions: readonly Question[];
  readonly probes: ProbeState;
  /** Id of the subtask in progress. */
  readonly current?: string;
}

export const EMPTY_PLAN: PlanTree = { goal: '', status: 'pending', tasks: [], questions: [], probes: {} };

/** The subtask in progress, and its task. */
export function currentOf(tree: PlanTree): { readonly task: Task; readonly subtask: Subtask } | undefined {
  for (const task of tree.tasks)
    for (const subtask of task.subtasks) if (subtask.id === tree.current) return { task, subtask };
  return undefined;
}

/** The first pending subtask. */
export function nextOf(tree: PlanTree): Subtask | undefined {
  return tree.tasks
    .flatMap(({ subtasks }) => subtasks)
    .find(({ id, status }) => id !== tree.current && status === 'pending');
}
