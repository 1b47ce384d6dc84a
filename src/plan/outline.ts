// A plan as text for people: every task and step with its status.

import { oneLine, plural } from '../contract/index.ts';
import type { Loop } from './loops/guard.ts';
import type { PlanStatus, PlanTree, Subtask, Task } from './tree.ts';

const MARKS: Readonly<Record<PlanStatus, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  blocked: '[!]',
};

/** The whole plan as text, with a line end. */
export function planOutline(tree: PlanTree, loops: readonly Loop[] = []): string {
  const { goal, status, tasks, questions, probes, escalation } = tree;
  const lines = [
    `Goal: ${goal === '' ? '(none)' : oneLine(goal)} (${status})`,
    ...(escalation === undefined ? [] : [`Needs a decision: ${oneLine(escalation)}`]),
    ...tasks.flatMap(taskLines),
    ...section(
      'Questions',
      questions,
      ({ id, text, answer }) => `${id}: ${text}${answer === undefined ? '' : ` Answer: ${answer}`}`,
    ),
    ...section('State', Object.entries(probes), ([name, value]) => `${name}: ${value}`),
    ...section(
      'Loops',
      loops,
      ({ kind, tools, rounds }) => `${kind} of ${tools.join(', ')}, ${plural(rounds, 'round')}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function section<T>(title: string, items: readonly T[], line: (item: T) => string): string[] {
  return items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${oneLine(line(item))}`)];
}

function taskLines({ id, title, status, subtasks }: Task): string[] {
  const [only] = subtasks;
  // A task without steps has one with its own title.
  if (only && subtasks.length === 1 && only.title === title) return [stepLine(only)];
  return [`${MARKS[status]} ${id} ${oneLine(title)}`, ...subtasks.map((one) => `  ${stepLine(one)}`)];
}

function stepLine({ id, title, status, failures, lastFailure }: Subtask): string {
  const failed =
    lastFailure === undefined ? '' : ` (${plural(failures, 'failure')}: ${oneLine(lastFailure)})`;
  return `${MARKS[status]} ${id} ${oneLine(title)}${failed}`;
}
