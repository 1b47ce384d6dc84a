// What the Gemini API takes as `contents`, as its documentation and its own refusals describe it.

import { brief, filled, isShape, list, type Shape, shape } from './shape.ts';

/** `Part` of the API reference: each holds exactly one of these. */
const DATA = [
  'text',
  'inlineData',
  'functionCall',
  'functionResponse',
  'fileData',
  'executableCode',
  'codeExecutionResult',
];
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

const dataOf = (part: Shape): string[] => DATA.filter((name) => part[name] !== undefined);

/** The calls or responses of a content by name and id, in order. */
function pairs(content: Shape, name: 'functionCall' | 'functionResponse'): Shape[] {
  return list(content['parts']).flatMap((part) =>
    shape(part)[name] === undefined ? [] : [shape(shape(part)[name])],
  );
}

function partFindings(part: Shape, role: unknown): string[] {
  const data = dataOf(part);
  if (data.length !== 1) return [`a part with ${data.length} kinds of data`];
  const { text, functionCall, functionResponse, inlineData } = part;
  if (text !== undefined) return filled(text) ? [] : ['empty text'];
  if (inlineData !== undefined) {
    const { mimeType, data: bytes } = shape(inlineData);
    return filled(mimeType) && filled(bytes) ? [] : ['inline data without type or bytes'];
  }
  if (functionCall !== undefined) {
    const { name, args } = shape(functionCall);
    const named = typeof name === 'string' && NAME.test(name);
    return [
      ...(role === 'model' ? [] : ['a call by the user']),
      ...(named ? [] : [`a call of ${brief(name)}`]),
      ...(args === undefined || isShape(args) ? [] : ['arguments are no object']),
    ];
  }
  if (functionResponse !== undefined) {
    const { response } = shape(functionResponse);
    return [
      ...(role === 'user' ? [] : ['a response by the model']),
      ...(isShape(response) ? [] : ['no response']),
    ];
  }
  return [];
}

/**
 * Findings about a list of `Content`; none when the API would take it. Sources: ai.google.dev/api/caching#Content and
 * /gemini-api/docs/function-calling, /thought-signatures (Gemini 3: the first call of every step of the current turn carries
 * its signature, "Function call is missing a thought_signature in functionCall parts"); and refusals as trackers quote them:
 * - "Please ensure that the number of function response parts is equal to the number of function call parts of the function
 *   call turn";
 * - "Please ensure that function call turn comes immediately after a user turn or after a function response turn", and the
 *   response turn right after the call turn;
 * - "Please ensure that multiturn requests alternate between user and model", and end with a user role or a function response;
 * - "contents.parts must not be empty", "Unable to submit request because it must have a text parameter".
 * Responses come in the order of their calls, as google-gemini/gemini-cli sets them before it sends.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  if (messages.length === 0) findings.push('no content');
  const all = messages.map(shape);
  if (all[0] && all[0]['role'] !== 'user') findings.push('content 0: does not begin with the user');
  if (all.length > 0 && all.at(-1)?.['role'] !== 'user') findings.push('end: does not end with the user');
  all.forEach((content, at) => {
    const add = (text: string): number => findings.push(`content ${at}: ${text}`);
    const { role, parts } = content;
    if (role !== 'user' && role !== 'model') add(`role ${brief(role)}`);
    if (at > 0 && all[at - 1]?.['role'] === role) add('follows one of its own side');
    if (!Array.isArray(parts) || parts.length === 0) add('no parts');
    for (const part of list(parts)) partFindings(shape(part), role).forEach(add);
    if (
      role === 'model' &&
      list(parts).length > 0 &&
      list(parts).every((part) => shape(part)['thought'] === true)
    )
      add('nothing but thoughts');
    const calls = pairs(all[at - 1] ?? {}, 'functionCall');
    const responses = pairs(content, 'functionResponse');
    if (calls.length !== responses.length)
      add(`${responses.length} responses for ${calls.length} calls before`);
    responses.forEach((response, index) => {
      const call = calls[index];
      if (call && (call['name'] !== response['name'] || call['id'] !== response['id']))
        add(`response ${index} is of ${brief(response['name'])} ${brief(response['id'])}`);
    });
  });
  const open = pairs(all.at(-1) ?? {}, 'functionCall').length;
  if (open > 0) findings.push(`end: ${open} calls without responses`);
  return [...findings, ...signatureFindings(all)];
}

/** The first call of every step since the user's last words is signed, or none is. */
function signatureFindings(all: readonly Shape[]): string[] {
  const spoken = all.findLastIndex(
    (content) => content['role'] === 'user' && pairs(content, 'functionResponse').length === 0,
  );
  const firsts = all
    .slice(spoken + 1)
    .map((content) =>
      list(content['parts'])
        .map(shape)
        .find((part) => part['functionCall'] !== undefined),
    )
    .filter((part) => part !== undefined);
  const signed = firsts.filter((part) => filled(part['thoughtSignature']));
  return signed.length === 0 || signed.length === firsts.length
    ? []
    : ['a call of the current turn is not signed'];
}
