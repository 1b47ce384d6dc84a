// Tool results in messages of the AI SDK: the text of each kind of output, how to replace it, and answers for
// unanswered calls. Does not handle calls or messages.

import { type Entries, resultEdited, resultItems } from '../content.ts';
import type { Path, Place, Slot } from '../lens.ts';
import { type CallForm, item, type OpenCall, type Role } from '../message.ts';
import { joined, listOf, type Native, nativeOf, textIn } from '../native.ts';
import { sentJson, sentText } from '../value-text.ts';
import { outputMedia, textInstead } from './media.ts';
import { isOfServerTool, isSigned, serverLinks } from './options.ts';

/** A parsed output. */
interface Output {
  readonly text: string;
  readonly isError: boolean;
  /** Set if it is a list of parts. */
  readonly list: readonly unknown[] | null;
  /** Rebuilds the output with another text, if it must keep its shape. */
  readonly shaped?: (text: string) => unknown;
}

function outputOf(part: Native): Output {
  const output = nativeOf(part['output']);
  const value = output?.['value'];
  switch (output?.['type']) {
    case 'text':
      return { text: sentText(value), isError: false, list: null };
    case 'error-text':
      return { text: sentText(value), isError: true, list: null };
    case 'json':
      return shapedOutput(part, output) ?? { text: sentJson(value), isError: false, list: null };
    case 'error-json':
      return { text: sentJson(value), isError: true, list: null };
    case 'execution-denied':
      return { text: textIn(output, 'reason') ?? '', isError: true, list: null };
    case 'content':
      return { text: listText(listOf(value)), isError: false, list: listOf(value) };
    default:
      return { text: sentText(part['output']), isError: false, list: null };
  }
}

/**
 * Outputs of the shell and patch tools of `@ai-sdk/openai`: any other shape would be sent as a function's output and
 * rejected.
 */
function shapedOutput(part: Native, output: Native): Output | null {
  const value = nativeOf(output['value']);
  if (!value) return null;
  const name = textIn(part, 'toolName') ?? '';
  const said = textIn(value, 'output');
  const runs = listOf(value['output']);
  if (runs.length > 0 && runs.every((run) => nativeOf(nativeOf(run)?.['outcome']))) {
    const failed = runs.find((run) => {
      const outcome = nativeOf(nativeOf(run)?.['outcome']);
      return outcome?.['type'] === 'timeout' || (outcome?.['exitCode'] ?? 0) !== 0;
    });
    return {
      text: joined(runs.flatMap((run) => [textIn(run, 'stdout'), textIn(run, 'stderr')])),
      isError: failed !== undefined,
      list: null,
      shaped: (text) => ({
        ...output,
        value: { ...value, output: [{ ...nativeOf(failed ?? runs[0]), stdout: text, stderr: '' }] },
      }),
    };
  }
  const patch = name === 'apply_patch' && /^(?:completed|failed)$/.test(textIn(value, 'status') ?? '');
  const shell = /shell/i.test(name) && Object.keys(value).length === 1;
  if (said === null || !(patch || shell)) return null;
  return {
    text: said,
    isError: value['status'] === 'failed',
    list: null,
    shaped: (text) => ({ ...output, value: { ...value, output: text } }),
  };
}

function listText(list: readonly unknown[]): string {
  return joined(list.filter(isText).map((part) => textIn(part, 'text')));
}

/** Whether a part is a text. */
export function isText(part: unknown): boolean {
  return nativeOf(part)?.['type'] === 'text' && textIn(part, 'text') !== null;
}

/** Whether the result loads tools from OpenAI's tool search, which may have been called since. */
function loadsTools(part: Native): boolean {
  const tools = nativeOf(nativeOf(part['output'])?.['value'])?.['tools'];
  return /tool_?search/i.test(textIn(part, 'toolName') ?? '') && Array.isArray(tools);
}

/** A result and the media in it. Next to its call, in an assistant message, it comes from a provider-run tool. */
export function resultPart(part: Native, at: Path, role: Role): Slot {
  const { text, isError, list, shaped } = outputOf(part);
  const callId = textIn(part, 'toolCallId');
  const own = role === 'assistant';
  const facts = {
    callId,
    toolName: textIn(part, 'toolName'),
    isError,
    sealed: (isSigned(part) && (role !== 'tool' || isOfServerTool(part))) || loadsTools(part),
    providerExecuted: own,
    links: serverLinks(part, own ? callId : null),
  };
  const [result = item('result'), ...media] = resultItems(facts, list ?? text, ENTRIES);
  const write: Place['write'] = (_, change) => {
    const instead = change(0)?.text ?? null;
    if (shaped) return instead === null ? part : { ...part, output: shaped(instead) };
    const rest = list && listOf(resultEdited(list, change, ENTRIES));
    return written(part, instead, rest, isError);
  };
  // Only the result itself is the provider's: media in it may be replaced.
  const plain = media.map((each) => ({ ...each, sealed: false, providerExecuted: false }));
  return { items: [result, ...plain], places: [{ at, write }] };
}

/** Entries of a list of output. */
const ENTRIES: Entries = {
  read: (entry) => {
    const native = nativeOf(entry);
    if (isText(entry)) return { text: textIn(entry, 'text') ?? '' };
    const media = native && outputMedia(native);
    return media && { media };
  },
  part: (text, [first]) =>
    isText(first) ? { ...nativeOf(first), text } : textInstead(text, nativeOf(first)),
};

function written(
  part: Native,
  text: string | null,
  rest: readonly unknown[] | null,
  isError: boolean,
): Native {
  const output = nativeOf(part['output']) ?? {};
  const options = 'providerOptions' in output ? { providerOptions: output['providerOptions'] } : {};
  // A single text is written as text; next to media or in its place, it stays in a list.
  if (rest && (text === null ? rest.length > 0 : rest.length > 1 || !rest.every(isText)))
    return { ...part, output: { ...output, value: rest } };
  if (output['type'] === 'execution-denied') return { ...part, output: { ...output, reason: text ?? '' } };
  return { ...part, output: { type: isError ? 'error-text' : 'text', value: text ?? '', ...options } };
}

/** The answer form of a call with `input`, if the tool is OpenAI's shell or patch tool. */
export function formOf(toolName: string | null, input: Native | null): CallForm | null {
  const action = nativeOf(input?.['action']);
  if (Array.isArray(action?.['commands'])) return { result: 'shell', caller: null };
  if (action?.['type'] === 'exec' && Array.isArray(action['command']))
    return { result: 'local_shell', caller: null };
  const patch = toolName === 'apply_patch' && nativeOf(input?.['operation']) !== null;
  return patch ? { result: 'apply_patch', caller: null } : null;
}

/** Values of the results of OpenAI's tools, by the form of their calls. */
const VALUES: ReadonlyMap<unknown, (text: string) => Native> = new Map<unknown, (text: string) => Native>([
  ['shell', (text) => ({ output: [{ stdout: '', stderr: text, outcome: { type: 'exit', exitCode: 1 } }] })],
  ['local_shell', (text) => ({ output: text })],
  ['apply_patch', (text) => ({ status: 'failed', output: text })],
]);

/** An error result for an unanswered call, as a part. */
export function answerPart({ callId, toolName, form }: OpenCall, text: string): Native {
  const value = VALUES.get(form?.result)?.(text);
  const output = value ? { type: 'json', value } : { type: 'error-text', value: text };
  return { type: 'tool-result', toolCallId: callId, toolName, output };
}
