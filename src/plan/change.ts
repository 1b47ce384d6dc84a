// The changes of a plan, as events. Every change creates a new tree, so that the same events always give the same tree.

import { quoted, ReaderError, safeCut } from '../contract/index.ts';
import type { PlanAction, PlanStatus, PlanTree, ProbeState, Question, Subtask, Task } from './tree.ts';

export interface NewTask {
  readonly title: string;
  readonly subtasks?: readonly string[];
}

/** Everything that can change a plan. All JSON. */
export type PlanChange =
  | { readonly type: 'goal'; readonly text: string }
  /** Appends tasks, or subtasks to the task `under`. */
  | { readonly type: 'add'; readonly tasks: readonly NewTask[]; readonly under?: string }
  | { readonly type: 'start'; readonly id: string }
  | { readonly type: 'action'; readonly action: PlanAction }
  | { readonly type: 'complete'; readonly id: string }
  | { readonly type: 'fail'; readonly id: string; readonly reason: string }
  /** Blocks the subtask at once. */
  | { readonly type: 'escalate'; readonly id: string; readonly reason: string }
  | { readonly type: 'ask'; readonly text: string }
  | { readonly type: 'answer'; readonly id: string; readonly text: string }
  /** `differ`: some answer changed. */
  | { readonly type: 'probes'; readonly probes: ProbeState; readonly differ: boolean }
  /** Something outside the plan changed: refused calls may run again. */
  | { readonly type: 'world' };

/** Failures that block a subtask. */
const MAX_FAILURES = 2;
const MAX_ACTIONS = 20;
/** Limits on what a model may put into a plan. */
const MAX_TITLE = 500;
const MAX_GOAL = 4000;
const MAX_TASKS = 200;
const MAX_SUBTASKS = 100;
const MAX_QUESTIONS = 100;
const MAX_PROBES = 50;

/**
 * `tree` after `change`. Completing or blocking the current subtask starts the next one that is pending.
 * @throws {ReaderError} BAD_INPUT for an id that does not exist, a text that is empty or too long, or too many tasks
 */
export function changed(tree: PlanTree, change: PlanChange): PlanTree {
  switch (change.type) {
    case 'goal':
      return { ...tree, goal: textOf('goal', change.text, MAX_GOAL), status: 'in_progress' };
    case 'add':
      return settled(change.under === undefined ? withTasks(tree, change.tasks) : withSubtasks(tree, change));
    case 'start':
      return started(tree, subtaskOf(tree, change.id).id);
    case 'action':
      return tree.current === undefined ? tree : withAction(tree, tree.current, change.action);
    case 'complete':
      return settled(
        isTask(tree, change.id)
          ? eachSubtask(tree, (one) =>
              one.id.startsWith(`${change.id}.`) ? { ...one, status: 'completed' } : one,
            )
          : edited(tree, subtaskOf(tree, change.id).id, (one) => ({ ...one, status: 'completed' })),
      );
    case 'fail':
      return settled(failedOnce(tree, change, MAX_FAILURES));
    case 'escalate':
      return settled(failedOnce(tree, change, 1));
    case 'ask':
      return { ...tree, questions: asked(tree.questions, textOf('question', change.text, MAX_TITLE)) };
    case 'answer':
      return { ...tree, questions: answered(tree.questions, change.id, change.text) };
    case 'probes':
      if (Object.keys(change.probes).length > MAX_PROBES)
        throw tooMany('probes', MAX_PROBES, 'Pass fewer probes.');
      return { ...tree, probes: change.probes };
    case 'world':
      return tree;
  }
}

function withTasks(tree: PlanTree, added: readonly NewTask[]): PlanTree {
  if (tree.tasks.length + added.length > MAX_TASKS)
    throw tooMany('tasks', MAX_TASKS, 'Add them as steps of a task, or combine some.');
  const tasks = added.map(({ title, subtasks = [] }, at): Task => {
    const id = String(tree.tasks.length + at + 1);
    // A task without subtasks gets one with its own title.
    const titles = subtasks.length === 0 ? [title] : subtasks;
    if (titles.length > MAX_SUBTASKS) throw tooManySubtasks(id);
    return {
      id,
      title: textOf('title', title, MAX_TITLE),
      status: 'pending',
      subtasks: titles.map((one, index) => newSubtask(`${id}.${index + 1}`, one)),
    };
  });
  return { ...tree, tasks: [...tree.tasks, ...tasks] };
}

function withSubtasks(tree: PlanTree, { tasks, under = '' }: Extract<PlanChange, { type: 'add' }>): PlanTree {
  const parent = tree.tasks.find(({ id }) => id === under);
  if (!parent) throw notFound('task', under, tree);
  if (parent.subtasks.length + tasks.length > MAX_SUBTASKS) throw tooManySubtasks(under);
  const subtasks = tasks.map(({ title }, at) =>
    newSubtask(`${under}.${parent.subtasks.length + at + 1}`, title),
  );
  return {
    ...tree,
    tasks: tree.tasks.map((task) =>
      task === parent ? { ...task, subtasks: [...task.subtasks, ...subtasks] } : task,
    ),
  };
}

const newSubtask = (id: string, title: string): Subtask => ({
  id,
  title: textOf('title', title, MAX_TITLE),
  status: 'pending',
  failures: 0,
  actions: [],
  actionCount: 0,
});

/** The subtask in progress becomes pending again. */
function started(tree: PlanTree, id: string): PlanTree {
  const at = eachSubtask(tree, (one) => {
    if (one.id === id) return { ...one, status: 'in_progress' };
    return one.status === 'in_progress' ? { ...one, status: 'pending' } : one;
  });
  return settled({ ...at, current: id });
}

function withAction(tree: PlanTree, id: string, action: PlanAction): PlanTree {
  return edited(tree, id, (one) => ({
    ...one,
    actions: [...one.actions, action].slice(-MAX_ACTIONS),
    actionCount: one.actionCount + 1,
  }));
}

function failedOnce(
  tree: PlanTree,
  { id, reason }: { readonly id: string; readonly reason: string },
  most: number,
): PlanTree {
  const lastFailure = textOf('reason', reason, MAX_TITLE);
  return edited(tree, subtaskOf(tree, id).id, (one) => {
    const failures = one.failures + 1;
    const open = one.id === tree.current ? 'in_progress' : 'pending';
    return { ...one, failures, lastFailure, status: failures >= most ? 'blocked' : open };
  });
}

/** Derives from the subtasks: the statuses of tasks and goal, escalations, and the current subtask. */
function settled(tree: PlanTree): PlanTree {
  const tasks = tree.tasks.map(settledTask);
  const open = tasks.flatMap(({ subtasks }) => subtasks);
  const running = open.find(({ id, status }) => id === tree.current && status === 'in_progress');
  const next = running ?? open.find(({ status }) => status === 'pending');
  const started = tasks.map((task) =>
    next && task.subtasks.includes(next) ? settledTask(withStatus(task, next, 'in_progress')) : task,
  );
  const { current: _, escalation: __, ...rest } = tree;
  const blocked = started.filter(({ status }) => status === 'blocked');
  const stuck = started.length > 0 && next === undefined;
  const reasons = blocked.map(({ id, title }) => `task ${id} (${title}) is blocked`).join('; ');
  return {
    ...rest,
    tasks: started,
    status: goalStatus(tree, stuck, blocked.length),
    ...(next && { current: next.id }),
    ...(reasons !== '' && { escalation: reasons }),
  };
}

function goalStatus(tree: PlanTree, stuck: boolean, blocked: number): PlanStatus {
  if (!stuck) return tree.goal === '' ? 'pending' : 'in_progress';
  return blocked > 0 ? 'blocked' : 'completed';
}

function settledTask(task: Task): Task {
  const { escalation: _, ...rest } = task;
  const blocked = task.subtasks.filter(({ status }) => status === 'blocked');
  const escalation = blocked
    .map(({ id, title, lastFailure = '' }) => `${id} ${title}: ${lastFailure}`)
    .join('; ');
  return { ...rest, status: taskStatus(task.subtasks), ...(escalation !== '' && { escalation }) };
}

function taskStatus(subtasks: readonly Subtask[]): PlanStatus {
  const all = (...wanted: PlanStatus[]): boolean => subtasks.every(({ status }) => wanted.includes(status));
  if (all('completed')) return 'completed';
  // Nothing here can be worked on.
  if (all('completed', 'blocked')) return 'blocked';
  return all('pending') ? 'pending' : 'in_progress';
}

/** The oldest answered questions make room for new ones. */
function asked(questions: readonly Question[], text: string): Question[] {
  const oldest = questions.find(({ answer }) => answer !== undefined);
  const full = questions.length >= MAX_QUESTIONS;
  if (full && !oldest)
    throw tooMany('open questions', MAX_QUESTIONS, 'Note the answers to some with `answer` first.');
  const kept = full ? questions.filter((one) => one !== oldest) : questions;
  const number = Number(questions.at(-1)?.id.slice(1) ?? 0) + 1;
  return [...kept, { id: `q${number}`, text }];
}

function answered(questions: readonly Question[], id: string, text: string): Question[] {
  if (!questions.some((question) => question.id === id))
    throw new ReaderError(
      'BAD_INPUT',
      `There is no question ${quoted(id)} in the plan.`,
      questions.length === 0
        ? 'Ask it first.'
        : `The questions are ${questions.map((one) => one.id).join(', ')}.`,
    );
  const answer = textOf('answer', text, MAX_TITLE);
  return questions.map((question) => (question.id === id ? { ...question, answer } : question));
}

const isTask = (tree: PlanTree, id: string): boolean => tree.tasks.some((task) => task.id === id);

/** @throws {ReaderError} BAD_INPUT */
function subtaskOf(tree: PlanTree, id: string): Subtask {
  const all = tree.tasks.flatMap(({ subtasks }) => subtasks);
  const exact = all.find((one) => one.id === id);
  if (exact) return exact;
  // A task stands for its subtask in progress, else for its first one that is pending, else blocked.
  const own = all.filter((one) => one.id.startsWith(`${id}.`));
  for (const wanted of ['in_progress', 'pending', 'blocked']) {
    const found = own.find(({ status }) => status === wanted);
    if (found) return found;
  }
  if (own.length === 0) throw notFound('subtask', id, tree);
  throw new ReaderError(
    'BAD_INPUT',
    `Every step of task ${quoted(id)} is completed.`,
    `Name one of its steps, such as "${id}.1".`,
  );
}

const withStatus = (task: Task, subtask: Subtask, status: PlanStatus): Task => ({
  ...task,
  subtasks: task.subtasks.map((one) => (one === subtask ? { ...one, status } : one)),
});

function eachSubtask(tree: PlanTree, change: (one: Subtask) => Subtask): PlanTree {
  return { ...tree, tasks: tree.tasks.map((task) => ({ ...task, subtasks: task.subtasks.map(change) })) };
}

const edited = (tree: PlanTree, id: string, change: (one: Subtask) => Subtask): PlanTree =>
  eachSubtask(tree, (one) => (one.id === id ? change(one) : one));

/** @throws {ReaderError} BAD_INPUT */
function textOf(what: string, value: string, max: number): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '')
    throw new ReaderError('BAD_INPUT', `The ${what} is empty.`, `Write the ${what} in a sentence.`);
  if (text.length <= max) return text;
  throw new ReaderError(
    'BAD_INPUT',
    `The ${what} has ${text.length} characters; expected at most ${max}.`,
    `Shorten it: "${text.slice(0, safeCut(text, 40))}…".`,
  );
}

function notFound(what: string, id: string, tree: PlanTree): ReaderError {
  const known = tree.tasks.flatMap((task) => [task.id, ...task.subtasks.map((one) => one.id)]);
  const some = known.slice(0, 20).join(', ');
  return new ReaderError(
    'BAD_INPUT',
    `There is no ${what} ${quoted(String(id))} in the plan.`,
    known.length === 0 ? 'Add tasks first.' : `The ids are ${some}${known.length > 20 ? ', …' : ''}.`,
  );
}

const tooMany = (what: string, max: number, hint: string): ReaderError =>
  new ReaderError('BAD_INPUT', `A plan can have at most ${max} ${what}.`, hint);

const tooManySubtasks = (task: string): ReaderError =>
  tooMany(`subtasks of task ${task}`, MAX_SUBTASKS, 'Add another task, or combine some.');
