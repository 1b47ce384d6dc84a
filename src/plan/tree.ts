// A goal and the work towards it as a tree: goal, tasks, subtasks, actions. Plain values, all JSON.

export type PlanStatus = 'pending' | 'in_progress' | 'completed' | 'blocked';

/** A tool call as a plan remembers it. */
export interface PlanAction {
  readonly tool: string;
  /** What it worked on, in a few words; up to 120 characters. */
  readonly target: string;
  readonly failed: boolean;
  /** What came of it, in a few words; up to 200 characters. */
  readonly outcome: string;
}

export interface Subtask {
  /** `2.1`: the first of the second task. Never changes. */
  readonly id: string;
  readonly title: string;
  readonly status: PlanStatus;
  /** Times it failed. The second time blocks it. */
  readonly failures: number;
  readonly lastFailure?: string;
  /** The last 20. */
  readonly actions: readonly PlanAction[];
  /** Actions so far. */
  readonly actionCount: number;
}

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: PlanStatus;
  /** Why it needs attention from above: what its blocked subtasks failed of. */
  readonly escalation?: string;
  readonly subtasks: readonly Subtask[];
}

/** Something only the user can say. */
export interface Question {
  /** `q1`, `q2`, … */
  readonly id: string;
  readonly text: string;
  readonly answer?: string;
}

/** Facts about the world, looked at by the caller: `tests pass: false`. */
export type ProbeState = Readonly<Record<string, boolean | number | string>>;

export interface PlanTree {
  readonly goal: string;
  readonly status: PlanStatus;
  readonly escalation?: string;
  readonly tasks: readonly Task[];
  readonly questions: readonly Question[];
  readonly probes: ProbeState;
  /** The subtask that is worked on. */
  readonly current?: string;
}

export const EMPTY_PLAN: PlanTree = { goal: '', status: 'pending', tasks: [], questions: [], probes: {} };

/** The subtask that is worked on, and its task. */
export function currentOf(tree: PlanTree): { readonly task: Task; readonly subtask: Subtask } | undefined {
  for (const task of tree.tasks)
    for (const subtask of task.subtasks) if (subtask.id === tree.current) return { task, subtask };
  return undefined;
}

/** The subtask that comes after the current one. */
export function nextOf(tree: PlanTree): Subtask | undefined {
  return tree.tasks
    .flatMap(({ subtasks }) => subtasks)
    .find(({ id, status }) => id !== tree.current && status === 'pending');
}
