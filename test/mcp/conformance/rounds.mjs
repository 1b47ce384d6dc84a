// The tools of the conformance suites that need input of the client (SEP-2322): they answer with what they need, and the
// client asks again with it.

import { acceptedContent, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { NOTHING, said } from './answers.mjs';

const NAME = z.object({ name: z.string() });
const elicit = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });
const askName = () => elicit('What is your name?', NAME);
const sample = (text, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });

export function addRounds(server, codec) {
  const add = (name, run) =>
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: `Fixture ${name}`, inputSchema: NOTHING },
      (_args, context) => run(context.mcpReq, context),
    );
  add('elicitation', ({ inputResponses }) => {
    const given = acceptedContent(inputResponses, 'user_name', NAME);
    return given ? said(`Hello, ${given.name}!`) : inputRequired({ inputRequests: { user_name: askName() } });
  });
  add('sampling', ({ inputResponses }) => {
    const given = inputResponse(inputResponses, 'capital_question');
    if (given.kind === 'sampling') return said(JSON.stringify(given.result.content));
    return inputRequired({
      inputRequests: { capital_question: sample('What is the capital of France?', 100) },
    });
  });
  add('list_roots', ({ inputResponses }) => {
    const given = inputResponse(inputResponses, 'client_roots');
    if (given.kind === 'roots') return said(given.roots.map(({ uri }) => uri).join(' '));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  add('capabilities', ({ envelope }) => {
    const has = envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
    return inputRequired({
      inputRequests: {
        ...(has.sampling && { greeting: sample('Generate a greeting', 50) }),
        ...(has.elicitation && { user_name: askName() }),
      },
    });
  });
  server.registerTool('test_streaming_elicitation', { description: 'Fixture', inputSchema: NOTHING }, () =>
    inputRequired({ inputRequests: { user_name: askName() } }),
  );
  // The SDK refuses it for a client that did not declare sampling.
  server.registerTool('test_missing_capability', { description: 'Fixture', inputSchema: NOTHING }, () =>
    inputRequired({ inputRequests: { greeting: sample('Generate a greeting', 50) } }),
  );
  addStateful(add, codec);
}

/** Those whose state travels with the client, signed. */
function addStateful(add, codec) {
  const confirm = async (mcpReq, context) => {
    if (mcpReq.requestState()?.step === 'confirm') return said('state-ok');
    const ok = elicit('Please confirm', z.object({ ok: z.boolean() }));
    return inputRequired({
      inputRequests: { confirm: ok },
      requestState: await codec.mint({ step: 'confirm' }, context),
    });
  };
  add('request_state', confirm);
  add('tampered_state', confirm);
  add('multiple_inputs', async ({ inputResponses = {} }, context) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => inputResponse(inputResponses, key).kind !== 'missing')) return said('All given.');
    return inputRequired({
      inputRequests: {
        user_name: askName(),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ step: 'all' }, context),
    });
  });
  add('multi_round', async ({ inputResponses, requestState }, context) => {
    const state = requestState();
    const name = acceptedContent(inputResponses, 'step1', NAME)?.name;
    if (state?.step === 2 && acceptedContent(inputResponses, 'step2'))
      return said(`${state.name} likes ${acceptedContent(inputResponses, 'step2').color}`);
    if (state?.step === 1 && name !== undefined)
      return inputRequired({
        inputRequests: {
          step2: elicit('Step 2: What is your favorite color?', z.object({ color: z.string() })),
        },
        requestState: await codec.mint({ step: 2, name }, context),
      });
    return inputRequired({
      inputRequests: { step1: elicit('Step 1: What is your name?', NAME) },
      requestState: await codec.mint({ step: 1 }, context),
    });
  });
}
