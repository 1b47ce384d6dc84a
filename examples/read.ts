import { createReader } from 'lectern';

const reader = createReader();
let answer = await reader.read('fixtures/tabular/orders.csv', { maxTokens: 800 });
while (answer.success) {
  console.log(answer.text); // content and notes, at most 800 tokens
  const next = answer.truncation?.next;
  if (!next) break; // everything has been shown
  answer = await reader.read('fixtures/tabular/orders.csv', { cursor: next.cursor, maxTokens: 800 });
}
if (!answer.success) console.error(answer.error.code, answer.error.hint);
