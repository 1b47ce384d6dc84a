import { createCompactor } from 'lectern/history';

const history = createCompactor({ model: 'gpt-5.4', window: 30_000 });
const messages: object[] = [{ role: 'user', content: 'Find the late orders of every month.' }];
for (let month = 1; month <= 24; month += 1) {
  const { messages: prompt, report } = await history.compact(messages); // before each model call
  if (report.action === 'compacted')
    console.log(`${report.before.tokens} tokens, now ${report.after.tokens}`);
  messages.push(...modelCall(prompt, month)); // your model and your tools
}

function modelCall(_prompt: object[], month: number): object[] {
  const id = `call_${month}`;
  const call = { id, type: 'function', function: { name: 'query', arguments: JSON.stringify({ month }) } };
  const rows = Array.from({ length: 150 }, (_, row) => `order-${month}-${row},late by ${row % 9} days`);
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: rows.join('\n') },
  ];
}
