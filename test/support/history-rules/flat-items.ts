// Rules of lists in which calls, results and reasoning are items of their own, as OpenAI's Responses API has them.

import { brief } from './shape.ts';

/** An item by what it is; `output` of the model beside calls and reasoning: a message, a hosted call. */
export interface FlatItem {
  readonly kind: 'input' | 'call' | 'result' | 'reasoning' | 'output';
  readonly callId: string;
  /** As the provider named it; empty where it has none. */
  readonly id: string;
  /** Of a call, the type of its result; of a result, its own. */
  readonly answer?: string;
}

/**
 * Findings about pairs and order. The API's own words, as trackers quote them:
 * - "No tool output found for function call call_x.", "No tool call found for function call output with call_id call_x."
 *   (openai/openai-agents-js 1280);
 * - "Item 'rs_x' of type 'reasoning' was provided without its required following item." (openai-agents-js 326, 929);
 * - "Duplicate item found with id rs_x.".
 * - "No tool output found for custom tool call call_x." (diegosouzapw/OmniRoute 8946): a result of another type is none.
 * A second result of a call is refused or ignored, by provider: it is a finding here.
 */
export function flatFindings(items: readonly FlatItem[]): string[] {
  const findings: string[] = [];
  const calls = new Map<string, string | undefined>();
  const results = new Set<string>();
  const ids = new Set<string>();
  items.forEach(({ kind, callId, id, answer }, at) => {
    const add = (text: string): number => findings.push(`item ${at}: ${text}`);
    if (kind === 'call') {
      if (calls.has(callId)) add(`second call ${brief(callId)}`);
      calls.set(callId, answer);
    }
    if (kind === 'result') {
      if (!calls.has(callId)) add(`result of ${brief(callId)} without its call before it`);
      else if (calls.get(callId) !== answer) add(`${answer} of ${brief(callId)}, not ${calls.get(callId)}`);
      if (results.has(callId)) add(`second result of ${brief(callId)}`);
      results.add(callId);
    }
    const next = items[at + 1]?.kind;
    if (kind === 'reasoning' && next !== 'call' && next !== 'output')
      add('reasoning without its following item');
    if (id !== '' && ids.has(id)) add(`second item ${brief(id)}`);
    ids.add(id);
  });
  for (const id of calls.keys()) if (!results.has(id)) findings.push(`end: no result of ${brief(id)}`);
  return findings;
}

/**
 * Findings where an item of the model follows other reasoning in `after` than in `before`, or none: "Item 'fc_x' of type
 * 'function_call' was provided without its required 'reasoning' item: 'rs_x'.". Only items with an
 * id are held to it: one without is taken as new.
 */
export function partnerFindings(before: readonly FlatItem[], after: readonly FlatItem[]): string[] {
  const partners = new Map<string, string>();
  const reasonings = (items: readonly FlatItem[], visit: (item: FlatItem, reasoning: string) => void): void =>
    items.forEach((item, at) => {
      const last = items[at - 1];
      if (item.id !== '' && (item.kind === 'call' || item.kind === 'output'))
        visit(item, last?.kind === 'reasoning' ? last.id : '');
    });
  reasonings(before, ({ id }, reasoning) => partners.set(id, reasoning));
  const findings: string[] = [];
  reasonings(after, ({ id }, reasoning) => {
    const own = partners.get(id);
    if (own !== undefined && own !== reasoning)
      findings.push(`${brief(id)} follows ${reasoning || 'no reasoning'}, not ${own || 'none'}`);
  });
  return findings;
}
