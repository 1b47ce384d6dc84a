import type Anthropic from '@anthropic-ai/sdk';
import { createWorkspace } from 'lectern';
import { createCompactor, historyPromptSegment, workspaceStorage } from 'lectern/history';

const workspace = createWorkspace({ user: 'ada', session: 'q3' });
const history = createCompactor<Anthropic.MessageParam>({
  model: 'claude-sonnet-5',
  window: 30_000,
  storage: workspaceStorage(workspace), // originals become files that `read_file` can open
});
const system = historyPromptSegment({ tools: ['read_file', 'search_files'] }); // explains the placeholders

const messages: Anthropic.MessageParam[] = [
  { role: 'user', content: 'Find the late orders of every month.' },
];
const pointers: string[] = [];
for (let month = 1; month <= 24; month += 1) {
  const { messages: prompt, report } = await history.compact(messages, { system });
  if (report.action === 'compacted')
    console.log(`${report.before.tokens} tokens, now ${report.after.tokens} in ${prompt.length} messages`);
  pointers.push(...report.pointers);
  // const answer = await model(prompt);
  // history.observe(answer.usage.input_tokens); // calibrates the token estimate
  const id = `call_${month}`;
  const rows = Array.from({ length: 150 }, (_, row) => `order-${month}-${row},late by ${row % 9} days`).join(
    '\n',
  );
  messages.push(
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'query', input: { month } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: rows }] },
  );
}

const pointer = pointers[1]; // such as conversation_history/kx3p0q7h2m4a/8b70a33a4a0cbf8c.json#2
if (pointer) console.log((await history.restore(pointer)).text); // the whole message as JSON, byte for byte
