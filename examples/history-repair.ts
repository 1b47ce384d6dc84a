import { repair } from 'lectern/history';

const call = { id: 'call_1', type: 'function', function: { name: 'query', arguments: '{}' } };
const { messages, repairs } = repair([
  { role: 'user', content: 'Find the late orders.' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'user', content: 'Only of May.' },
  { role: 'tool', tool_call_id: 'call_1', content: 'order-7' }, // came after the user had written
]);
console.log(messages.map(({ role }) => role).join(', ')); // user, assistant, tool, user
console.log(repairs); // [{ kind: 'late-result', callId: 'call_1', message: 3 }]
