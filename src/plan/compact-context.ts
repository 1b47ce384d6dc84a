// What a model has to know of its plan at any moment, in few characters: the goal, where it stands, what comes next.

import { plural, safeCut } from '../contract/index.ts';
import type { Loop } from './loops/guard.ts';
import { currentOf, nextOf, type PlanTree, type Subtask, type Task } from './tree.ts';

export interface CompactContextOptions {
  /** UTF-16 units of the whole text. Default 2000; at least 200. */
  readonly maxChars?: number;
}

export const DEFAULT_CONTEXT_CHARS = 2000;
const LEAST_CHARS = 200;
const RECENT_ACTIONS = 3;

/** A line or block, and how late it is left out: 0 last. */
interface Section {
  readonly order: number;
  readonly text: string;
}

/** The context as text, with a line end. Empty for a plan without a goal. What does not fit is left out, the goal last. */
export function compactContextOf(tree: PlanTree, loop: Loop | undefined, maxChars: number): string {
  if (tree.goal === '') return '';
  const most = Math.max(LEAST_CHARS, maxChars);
  let kept = sections(tree, loop);
  while (lengthOf(kept) > most && kept.length > 1) {
    const least = Math.max(...kept.map(({ order }) => order));
    kept = kept.filter(({ order }) => order < least);
  }
  const text = `${kept.map((section) => section.text).join('\n')}\n`;
  return text.length <= most ? text : `${text.slice(0, safeCut(text, most - 2))}…\n`;
}

const lengthOf = (kept: readonly Section[]): number =>
  kept.reduce((sum, { text }) => sum + text.length + 1, 0);

function sections(tree: PlanTree, loop: Loop | undefined): Section[] {
  const at = currentOf(tree);
  const next = nextOf(tree);
  const open = tree.questions.filter(({ answer }) => answer === undefined);
  const probes = Object.entries(tree.probes);
  return [
    { order: 0, text: `Goal: ${shortened(tree.goal, 800)}` },
    { order: 4, text: progressOf(tree) },
    ...(tree.escalation === undefined
      ? []
      : [{ order: 3, text: `Needs a decision: ${shortened(tree.escalation, 300)}` }]),
    ...(at ? stepSections(at.task, at.subtask) : []),
    ...(next ? [{ order: 1, text: `Next: ${next.id} ${shortened(next.title, 200)}` }] : []),
    ...(loop
      ? [
          {
            order: 3,
            text: `Loop: ${loop.tools.join(', ')} keeps giving the same result. Try something else.`,
          },
        ]
      : []),
    ...(open.length === 0
      ? []
      : [{ order: 2, text: ['Open questions:', ...open.slice(-5).map(questionLine)].join('\n') }]),
    ...(probes.length === 0
      ? []
      : [{ order: 5, text: ['State:', ...probes.map(([name, value]) => `- ${name}: ${value}`)].join('\n') }]),
  ];
}

function stepSections(task: Task, { id, title, actions, lastFailure, failures }: Subtask): Section[] {
  const undivided = task.subtasks.length === 1 && task.title === title;
  const recent = actions.slice(-RECENT_ACTIONS);
  return [
    ...(undivided ? [] : [{ order: 2, text: `Task: ${task.id} ${shortened(task.title, 200)}` }]),
    { order: 1, text: `Now: ${id} ${shortened(title, 200)}` },
    ...(lastFailure === undefined
      ? []
      : [
          {
            order: 2,
            text: `Last failure (${plural(failures, 'failure')} so far): ${shortened(lastFailure, 300)}`,
          },
        ]),
    ...(recent.length === 0
      ? []
      : [
          {
            order: 4,
            text: [
              'Last actions:',
              ...recent.map(
                ({ tool, target, failed, outcome }) =>
                  `- ${tool} ${target}: ${failed ? 'failed, ' : ''}${shortened(outcome, 100)}`,
              ),
            ].join('\n'),
          },
        ]),
  ];
}

const questionLine = ({ id, text }: { readonly id: string; readonly text: string }): string =>
  `- ${id}: ${shortened(text, 200)}`;

function progressOf({ status, tasks }: PlanTree): string {
  const subtasks = tasks.flatMap((task) => task.subtasks);
  const done = subtasks.filter((one) => one.status === 'completed').length;
  const blocked = subtasks.filter((one) => one.status === 'blocked').length;
  const also = blocked > 0 ? `, ${blocked} blocked` : '';
  return `Status: ${status}, ${done} of ${plural(subtasks.length, 'step')} completed${also}`;
}

/** On one line, at most `max` units. */
function shortened(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= max ? line : `${line.slice(0, safeCut(line, max - 1))}…`;
}
