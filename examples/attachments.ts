import Anthropic from '@anthropic-ai/sdk';
import { createWorkspace, prepareAttachments } from 'lectern';

const workspace = createWorkspace({ root: 'fixtures' });
const files = ['tabular/orders.csv', 'documents/gauges.pdf', 'image/photo.jpg', 'no-such.txt'];
const model = 'claude-sonnet-5';
const { content, listing } = await prepareAttachments(files, { target: 'anthropic', model, workspace });
console.log(listing); // one line for each file: what the model gets, and how to read the rest

const messages: Anthropic.MessageParam[] = [
  { role: 'user', content: [...content, { type: 'text', text: 'Which orders were late?' }] },
];
const answer = await new Anthropic().messages.create({ model, max_tokens: 1024, messages });
for (const block of answer.content) if (block.type === 'text') console.log(block.text);
