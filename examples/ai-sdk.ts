import { anthropic } from '@ai-sdk/anthropic';
import { generateText, stepCountIs } from 'ai';
import { createReader, createWorkspace } from 'lectern';
import { createTools } from 'lectern/tools';
import { toAiSdkTools } from 'lectern/tools/ai-sdk';

const workspace = createWorkspace({ root: 'fixtures' });
const tools = createTools({ reader: createReader({ workspace }), readOnly: true });

const { text } = await generateText({
  model: anthropic('claude-sonnet-5'),
  tools: await toAiSdkTools(tools),
  stopWhen: stepCountIs(10),
  prompt: 'How many orders are in tabular/orders.csv?',
});
console.log(text);
