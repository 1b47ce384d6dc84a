import { createReader, createWorkspace } from 'lectern';
import { createTools } from 'lectern/tools';
import { runOpenAiToolCalls, toOpenAiTools } from 'lectern/tools/openai';
import OpenAI from 'openai';

const workspace = createWorkspace({ root: 'fixtures' });
const tools = createTools({ reader: createReader({ workspace }) });
const openai = new OpenAI();

const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: 'How many orders are in tabular/orders.csv?' },
];
for (;;) {
  const request = { model: 'gpt-5.4', messages, tools: toOpenAiTools(tools, 'chat') };
  const { choices } = await openai.chat.completions.create(request);
  const message = choices[0]?.message;
  if (message) messages.push(message);
  if (!message?.tool_calls) break;
  messages.push(...(await runOpenAiToolCalls(tools, message.tool_calls)));
}
console.log(messages.at(-1)?.content);
