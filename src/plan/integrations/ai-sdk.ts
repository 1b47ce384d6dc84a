// The loop guard for the AI SDK (versions 5 to 7), by the shapes of its tools and prompts; needs no package.

import { BoundedMap } from '../../contract/index.ts';
import type { CallWatch } from '../loops/guard.ts';
import { observed } from './observed.ts';

type Method = (...args: unknown[]) => unknown;
type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}; // each field is checked where it is used

/** Calls whose warnings are kept for later prompts. */
const CALLS_KEPT = 10_000;

/**
 * The same tools for `generateText`, `streamText` and agents, watched: a call that continues a loop is refused without
 * running if the guard blocks, and the result that starts a loop ends with a warning. A warning turns a result that is not a
 * string into one. Tools without `execute` and streamed results are not watched. Results of tools with `toModelOutput` get no
 * warning here; use `loopGuardMiddleware` for them.
 * @param watch a guard or a plan of one agent
 */
export function guardedTools<T extends object>(tools: T, watch: CallWatch): T {
  const entries = Object.entries(tools).map(([name, tool]: [string, unknown]) => {
    const execute = fields(tool)['execute'];
    // Called with the arguments that the SDK passes.
    return [
      name,
      typeof execute === 'function' ? guarded(name, Object(tool), execute as Method, watch) : tool,
    ];
  });
  // Every tool keeps its name, its prototype and all its fields but `execute`.
  return Object.fromEntries(entries) as T;
}

function guarded(name: string, tool: object, run: Method, watch: CallWatch): object {
  const ownForm = typeof fields(tool)['toModelOutput'] === 'function';
  const execute = (input: unknown, ...rest: unknown[]): unknown => {
    const call = { tool: name, args: input };
    const verdict = watch.check(call);
    if (!verdict.allowed) throw new Error(verdict.message);
    const result = run.call(tool, input, ...rest);
    if (Symbol.asyncIterator in Object(result)) return result;
    return watched(watch, call, Promise.resolve(result), ownForm);
  };
  return Object.create(Object.getPrototypeOf(tool), {
    ...Object.getOwnPropertyDescriptors(tool),
    ...Object.getOwnPropertyDescriptors({ execute }),
  });
}

async function watched(
  watch: CallWatch,
  call: { readonly tool: string; readonly args: unknown },
  running: Promise<unknown>,
  ownForm: boolean,
): Promise<unknown> {
  let result: unknown;
  try {
    result = await running;
  } catch (error) {
    // The SDK passes the error to the model.
    const warning = await observed(watch, { ...call, result: textOf(error), failed: true });
    if (!warning) throw error;
    throw new Error(`${textOf(error)}\n${warning.message}`, { cause: error });
  }
  const warning = await observed(watch, { ...call, result });
  if (!warning || ownForm) return result;
  return `${typeof result === 'string' ? result : JSON.stringify(result)}\n${warning.message}`;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A `LanguageModelV3Middleware`, by shape; `wrapLanguageModel` of versions 5 and 7 takes it too. */
export interface LoopGuardMiddleware {
  readonly specificationVersion: 'v3';
  transformParams<P extends { readonly prompt: unknown[] }>(call: { readonly params: P }): Promise<P>;
}

/**
 * Middleware that watches the calls in the prompts of one agent, also when its tools run elsewhere, and appends a warning to
 * the result that starts a loop, in that prompt and all later ones. It cannot refuse calls; `guardedTools` can.
 * @param watch a guard of its own: a call must not be observed by `guardedTools` as well
 */
export function loopGuardMiddleware(watch: CallWatch): LoopGuardMiddleware {
  const warnings = new BoundedMap<string, string>({ most: CALLS_KEPT });
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => {
      const inputs = new Map<string, unknown>();
      const prompt: unknown[] = [];
      for (const message of params.prompt) {
        const { role, content } = fields(message);
        if (!Array.isArray(content)) {
          prompt.push(message);
          continue;
        }
        if (role === 'assistant')
          for (const part of content) {
            const { type, toolCallId, input } = fields(part);
            if (type === 'tool-call') inputs.set(String(toolCallId), input);
          }
        const parts: unknown[] = [];
        for (const part of content) parts.push(role === 'tool' ? await seen(part, inputs) : part);
        prompt.push(
          parts.every((part, at) => part === content[at]) ? message : { ...fields(message), content: parts },
        );
      }
      return { ...params, prompt };
    },
  };

  /** The part of a result, with its warning if it has one. */
  async function seen(part: unknown, inputs: ReadonlyMap<string, unknown>): Promise<unknown> {
    const { type, toolCallId, toolName, output } = fields(part);
    if (type !== 'tool-result') return part;
    const id = String(toolCallId);
    let message = warnings.get(id);
    if (message === undefined) {
      const { type: kind, value } = fields(output);
      const failed = typeof kind === 'string' && kind.startsWith('error');
      const call = { tool: String(toolName), args: inputs.get(id), result: value, failed };
      message = (await observed(watch, call))?.message ?? '';
      warnings.set(id, message);
    }
    return message === '' ? part : { ...fields(part), output: withWarning(output, message) };
  }
}

function withWarning(output: unknown, message: string): unknown {
  const { type, value } = fields(output);
  if (type === 'content' && Array.isArray(value))
    return { ...fields(output), value: [...value, { type: 'text', text: message }] };
  const failed = typeof type === 'string' && type.startsWith('error');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...fields(output), type: failed ? 'error-text' : 'text', value: `${text}\n${message}` };
}
