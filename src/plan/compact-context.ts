// The part of a plan that a model always needs, in few characters: the goal, the current step and the next one.

import { oneLine, plural, ReaderError, safeCut } from '../contract/index.ts';
import type { Loop } from './loops/guard.ts';
import { currentOf, nextOf, type PlanTree, type Subtask, type Task } from './tree.ts';

export interface CompactContextOptions {
  /** Maximum UTF-16 units of the text. Default 2000. */
  readonly maxChars?: number;
}

export const DEFAULT_CONTEXT_CHARS = 2000;
const RECENT_ACTIONS = 3;

/** A line or block. Those with the highest `order` are left out first. */
interface Section {
  readonly order: number;
  readonly text: string;
}

/**
 * The context as text, with a line end. Empty for a plan without a goal. Leaves out what does not fit, the goal last.
 * @throws {ReaderError} BAD_INPUT for a negative `maxChars` or one that is not a number
 */
export function compactContextOf(tree: PlanTree, loop: Loop | undefined, maxChars: number): string {
  if (typeof maxChars !== 'number' || !(maxChars >= 0))
    throw new ReaderError(
      'BAD_INPUT',
      `\`maxChars\` is ${String(maxChars)}; expected a number of 0 or more.`,
      'Set `maxChars` to a whole number, or leave it out.',
    );
  const most = Math.floor(maxChars);
  // A mark and a line end need two.
  if (tree.goal === '' || most < 2) return '';
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
            text: `Loop: ${shortened([...new Set(loop.tools)].join(', '), 200)} returned the same result again. Try something else.`,
          },
        ]
      : []),
    ...(open.length === 0
      ? []
      : [{ order: 2, text: ['Open questions:', ...open.slice(-5).map(questionLine)].join('\n') }]),
    ...(probes.length === 0
      ? []
      : [
          {
            order: 5,
            text: [
              'State:',
              ...probes.map(([name, value]) => `- ${shortened(`${name}: ${value}`, 300)}`),
            ].join('\n'),
          },
        ]),
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
                  `- ${oneLine(tool)} ${oneLine(target)}: ${failed ? 'failed, ' : ''}${shortened(outcome, 100)}`,
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

/** On one line, without control characters, at most `max` units. */
function shortened(text: string, max: number): string {
  const line = oneLine(text.replace(/\s+/g, ' '));
  return line.length <= max ? line : `${line.slice(0, safeCut(line, max - 1))}…`;
}
