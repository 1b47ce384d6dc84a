// The changes an agent makes to its plan in the crash test, in order. Each is one revision.

const TASKS = 12;
const STEPS = 6;

function script() {
  const changes = [{ do: 'goal', text: 'Survive' }];
  for (let task = 1; task <= TASKS; task++)
    changes.push({
      do: 'add',
      title: `Task ${task}`,
      subtasks: Array.from({ length: STEPS }, (_, at) => `Step ${at + 1}`),
    });
  for (let step = 0; step < TASKS * STEPS; step++) {
    for (let call = 0; call < 4; call++)
      changes.push({
        do: 'observe',
        tool: 'run',
        args: { command: `make step-${step}` },
        // Every fifth step loops.
        result: step % 5 === 0 ? 'the same error' : `output ${call}`,
        failed: step % 5 === 0,
      });
    if (step % 7 === 3) {
      changes.push({ do: 'fail', text: `Failure of step ${step}` });
      if (step % 14 === 3) changes.push({ do: 'fail', text: `Second failure of step ${step}` });
      else changes.push({ do: 'complete' });
    } else changes.push({ do: 'complete' });
    if (step % 10 === 9) changes.push({ do: 'ask', text: `Question ${step}?` });
  }
  return changes;
}

export const SCRIPT = script();

/** Makes one change; the plan is durable with it when this resolves. */
export function applyStep(plan, step) {
  switch (step.do) {
    case 'goal':
      return plan.setGoal(step.text);
    case 'add':
      return plan.add([{ title: step.title, subtasks: step.subtasks }]);
    case 'observe':
      return plan.observe({ tool: step.tool, args: step.args, result: step.result, failed: step.failed });
    case 'fail':
      return plan.fail(step.text);
    case 'complete':
      return plan.complete();
    case 'ask':
      return plan.ask(step.text);
    default:
      throw new Error(`unknown step ${step.do}`);
  }
}
