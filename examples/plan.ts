import { openPlan } from 'lectern/plan';

const plan = await openPlan({ storage: '.agent_context', goal: 'Make the tests pass' });
if (plan.tree.tasks.length === 0)
  await plan.add(['Run the tests', { title: 'Fix the failures', subtasks: ['Imports', 'Types'] }]);
const call = { tool: 'run', args: { command: 'npm test' } };
if (plan.check(call).allowed) {
  const warning = await plan.observe({ ...call, result: '3 failed', failed: true });
  console.log(warning?.message ?? plan.compactContext());
}
await plan.close();
