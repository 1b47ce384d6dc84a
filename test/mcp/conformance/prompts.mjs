// The prompts of the conformance suites, and completion of their arguments.

import { acceptedContent, completable, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PNG } from './answers.mjs';

const user = (content) => ({ role: 'user', content });
const text = (value) => user({ type: 'text', text: value });

export function addPrompts(server) {
  const add = (name, run, argsSchema) =>
    server.registerPrompt(name, { description: `Fixture ${name}`, ...(argsSchema && { argsSchema }) }, run);
  add('test_simple_prompt', () => ({ messages: [text('This is a simple prompt for testing.')] }));
  const cities = completable(z.string().describe('First test argument'), (value) =>
    ['paris', 'park', 'party'].filter((city) => city.startsWith(value)),
  );
  add(
    'test_prompt_with_arguments',
    ({ arg1, arg2 }) => ({
      messages: [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
    z.object({ arg1: cities, arg2: z.string().describe('Second test argument') }),
  );
  add(
    'test_prompt_with_embedded_resource',
    ({ resourceUri }) => ({
      messages: [
        user({
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        text('Please process the embedded resource above.'),
      ],
    }),
    z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
  );
  add('test_prompt_with_image', () => ({
    messages: [
      user({ type: 'image', data: PNG, mimeType: 'image/png' }),
      text('Please analyze the image above.'),
    ],
  }));
  const CONTEXT = z.object({ context: z.string() });
  add('test_input_required_result_prompt', ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_context', CONTEXT);
    if (given) return { messages: [text(given.context)] };
    const message = 'What context should the prompt use?';
    return inputRequired({
      inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema: CONTEXT }) },
    });
  });
}
