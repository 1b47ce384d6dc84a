// plan: the goal of an agent and its steps, which survive crashes and compactions.

import { z } from 'zod';
import { type Plan, planOutline } from '../plan/index.ts';
import { bad } from './argument-rules.ts';
import { type BudgetRoom, defineTool } from './definition.ts';
import { cutToBudget } from './page.ts';
import { type Tool, textAnswer } from './tool.ts';

/** A token has at least this many characters in nearly all texts. */
const LEAST_CHARS_PER_TOKEN = 2;
const BUDGET = 5000;

interface PlanRoom extends BudgetRoom {
  readonly plan: Plan;
}

const ACTIONS = [
  'show',
  'goal',
  'add',
  'start',
  'complete',
  'advance',
  'fail',
  'escalate',
  'ask',
  'answer',
] as const;

const PLAN = defineTool({
  name: 'plan',
  title: 'Goal and steps',
  readOnly: false,
  destructive: false,
  input: z.object({
    action: z.enum(ACTIONS).optional().describe('Default: show'),
    id: z
      .string()
      .optional()
      .describe('Task or step, such as 2 or 2.1; default: the current step. Of answer: the question'),
    text: z.string().optional().describe('Of goal, fail, escalate, ask and answer: what to write down'),
    tasks: z.array(z.string()).optional().describe('Of add: titles; with id, steps of that task'),
  }),
  aliases: {
    command: 'action',
    operation: 'action',
    task: 'id',
    task_id: 'id',
    step: 'id',
    subtask: 'id',
    question: 'text',
    goal: 'text',
    message: 'text',
    steps: 'tasks',
    subtasks: 'tasks',
    titles: 'tasks',
  },
  main: 'action',
  describe: () =>
    'Keeps your goal and the steps towards it; it survives crashes and compactions. `add` tasks first, then `complete` or `fail` each step as you go; a step that failed twice is blocked and another one starts. `advance` puts the current step off, `start` returns to one, `escalate` marks a step that needs a decision, `ask` records a question for the user. Returns the current state.',
  run: async ({ action = 'show', id, text, tasks }, { plan, count, budget }: PlanRoom) => {
    const written = (): string => {
      if (text !== undefined) return text;
      throw bad(`\`text\` is missing for \`${action}\`.`, 'Pass it in `text`.');
    };
    switch (action) {
      case 'show':
        return textAnswer(cutToBudget(planOutline(plan.tree, plan.loops()), budget, count));
      case 'goal':
        await plan.setGoal(written());
        break;
      case 'add':
        if (tasks === undefined || tasks.length === 0)
          throw bad(
            '`tasks` is missing for `add`.',
            'Give the titles as a list: `["Write tests", "Run them"]`.',
          );
        await plan.add(tasks, id);
        break;
      case 'start':
        if (id === undefined)
          throw bad('`id` is missing for `start`.', 'Name the step by its number: "2.1".');
        await plan.start(id);
        break;
      case 'complete':
        await plan.complete(id);
        break;
      case 'advance':
        await plan.advance();
        break;
      case 'fail':
        await plan.fail(written(), id);
        break;
      case 'escalate':
        await plan.escalate(written(), id);
        break;
      case 'ask':
        await plan.ask(written());
        break;
      case 'answer':
        if (id === undefined)
          throw bad('`id` is missing for `answer`.', 'Name the question by its number: "q1".');
        await plan.answer(id, written());
        break;
    }
    return textAnswer(plan.compactContext());
  },
});

/** A tool for models to keep their own plan. */
export function planTool(plan: Plan): Tool {
  const count = (text: string): number => Math.ceil(text.length / LEAST_CHARS_PER_TOKEN);
  return PLAN.bind({ plan, count, budget: BUDGET, maxTokens: BUDGET, names: new Set(['plan']) });
}
