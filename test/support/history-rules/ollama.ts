// What Ollama's chat API takes as `messages`, and what a model's template needs of them: the API itself refuses little.

import { brief, filled, isShape, list, shape } from './shape.ts';

/**
 * Findings about a list of `Message`; none when every call has one result right after it, by id where it has one, otherwise
 * by name. Sources: `Message` of ollama 0.6 (content a text, arguments an object, images as base64 or bytes), and
 * docs.ollama.com/capabilities/tool-calling: a result follows the message with its call and names the tool in `tool_name`.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no message');
  let open: { id: unknown; name: unknown }[] = [];
  messages.map(shape).forEach((message, at) => {
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    const { role, content, images, tool_name: name, tool_call_id: id } = message;
    if (!['system', 'user', 'assistant', 'tool'].includes(String(role))) add(`role ${brief(role)}`);
    if (typeof content !== 'string') add('content is no text');
    if (images !== undefined && list(images).length === 0) add('images are no list or empty');
    if (list(images).some((image) => !filled(image) && !(image instanceof Uint8Array)))
      add('an image without data');
    if (role === 'tool') {
      const call = open.findIndex((one) => (id === undefined ? one.name === name : one.id === id));
      if (call < 0) add(`result of ${brief(id ?? name)} without its call right before`);
      else open.splice(call, 1);
    } else {
      if (open.length > 0) add(`comes before the results of ${open.map((one) => brief(one.id ?? one.name))}`);
      open = [];
    }
    const calls = message['tool_calls'];
    if (calls !== undefined && list(calls).length === 0) add('`tool_calls` is no list or empty');
    for (const call of list(calls).map(shape)) {
      const called = shape(call['function']);
      if (role !== 'assistant') add('a call in a message of another role');
      if (!filled(called['name'])) add('a call without a name');
      if (!isShape(called['arguments'])) add('arguments are no object');
      open.push({ id: call['id'], name: called['name'] });
    }
    const says = filled(content) || list(calls).length > 0 || list(images).length > 0;
    if (role === 'assistant' && !says) add('nothing in it');
  });
  if (open.length > 0) findings.push(`end: no results of ${open.map((one) => brief(one.id ?? one.name))}`);
  return findings;
}
