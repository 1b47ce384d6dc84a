import Anthropic from '@anthropic-ai/sdk';
import { createReader, createWorkspace } from 'lectern';
import { createTools } from 'lectern/tools';
import { runAnthropicToolUse, toAnthropicTools } from 'lectern/tools/anthropic';

const workspace = createWorkspace({ root: 'fixtures' });
const tools = createTools({ reader: createReader({ workspace }) });
const anthropic = new Anthropic();

const messages: Anthropic.MessageParam[] = [
  { role: 'user', content: 'How many orders are in tabular/orders.csv?' },
];
for (;;) {
  const request = { model: 'claude-sonnet-5', max_tokens: 4096, messages, tools: toAnthropicTools(tools) };
  const { content } = await anthropic.messages.create(request);
  messages.push({ role: 'assistant', content });
  for (const block of content) if (block.type === 'text') console.log(block.text);
  const uses = content.filter((block) => block.type === 'tool_use');
  if (uses.length === 0) break;
  messages.push({
    role: 'user',
    content: await Promise.all(uses.map((use) => runAnthropicToolUse(tools, use))),
  });
}
