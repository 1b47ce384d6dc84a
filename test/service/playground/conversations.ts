// Conversations of two providers, with results large enough to be replaced or removed.

const RESULT = Array.from(
  { length: 60 },
  (_, line) => `export const level${line} = gauge(${line * 7}); // checked at the north weir`,
).join('\n');
const READS = 12;

const GOAL = 'Find out why lock 7 opens too late, and fix it.';
const END = 'Gate 9 compares centimetres with inches. I fix that now.';

/** A list of messages of OpenAI Chat. */
export function openAiConversation(): readonly unknown[] {
  const steps = Array.from({ length: READS }, (_, step) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${step}`,
          type: 'function',
          function: { name: 'read_file', arguments: JSON.stringify({ path: `src/gate-${step}.ts` }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${step}`, content: `// gate ${step}\n${RESULT}` },
  ]);
  return [{ role: 'user', content: GOAL }, ...steps.flat(), { role: 'assistant', content: END }];
}

/** A request of Anthropic, with its instructions beside the messages. */
export function anthropicConversation(): { readonly system: unknown; readonly messages: readonly unknown[] } {
  const steps = Array.from({ length: READS }, (_, step) => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `I read gate ${step}.` },
        {
          type: 'tool_use',
          id: `toolu_${step}`,
          name: 'read_file',
          input: { path: `src/gate-${step}.ts` },
        },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${step}`, content: `// gate ${step}\n${RESULT}` }],
    },
  ]);
  return {
    system: [{ type: 'text', text: 'You are a coding agent.' }],
    messages: [{ role: 'user', content: GOAL }, ...steps.flat(), { role: 'assistant', content: END }],
  };
}
