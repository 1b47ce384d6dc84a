// recall: finds earlier messages, results and documents that are no longer in the prompt.

import { z } from 'zod';
import { disarmed, oneLine, type Tokens } from '../contract/index.ts';
import type { Recall, RecallHit } from '../recall/index.ts';
import type { Redactor } from '../redact/index.ts';
import { bad } from './argument-rules.ts';
import { type BudgetRoom, defineTool } from './definition.ts';
import { cutToBudget } from './page.ts';
import { type Tool, textAnswer } from './tool.ts';

interface RecallRoom extends BudgetRoom {
  readonly recall: Pick<Recall, 'search'>;
}

export interface RecallToolOptions {
  /** Tokens of a text, such as a reader's `count`. Default: one for every two characters. */
  readonly count?: (text: string) => Tokens;
  /** Budget of an answer. Default 5000. */
  readonly maxTokens?: Tokens;
  /** `redactor` of a reader: secrets in the archive are replaced too. Default: none. */
  readonly redactor?: Redactor;
}

const DEFAULT_BUDGET = 5000;
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;

const RECALL = defineTool({
  name: 'recall',
  title: 'Find earlier text',
  readOnly: true,
  destructive: false,
  input: z.object({
    query: z.string().describe('Names, paths or words that the text contains'),
    limit: z.int().min(1).max(MAX_LIMIT).optional().describe('Maximum number of passages; default 5'),
    kind: z
      .enum(['message', 'result', 'document'])
      .optional()
      .describe('Only messages, results of tools or documents'),
  }),
  aliases: {
    q: 'query',
    text: 'query',
    search: 'query',
    search_query: 'query',
    keywords: 'query',
    question: 'query',
    top_k: 'limit',
    k: 'limit',
    max_results: 'limit',
    count: 'limit',
  },
  main: 'query',
  describe: () =>
    'Finds text from earlier in this work that you no longer see: messages, results of tools and documents that were read. Use names, paths or words that it contains rather than a question. Returns the passages that match best; their text may be out of date.',
  run: async ({ query, limit = DEFAULT_LIMIT, kind }, { recall, count, budget }: RecallRoom) => {
    if (query.trim() === '') throw bad('`query` is empty.', 'Write names or words that the text contains.');
    const hits = await recall.search(query, { limit, ...(kind !== undefined && { kind }) });
    if (hits.length === 0) return textAnswer('Nothing earlier matches. Try other names or fewer words.\n');
    return textAnswer(hitsText(hits, budget, count));
  },
});

/** A tool for models to find text that is no longer in their window. */
export function recallTool(
  recall: Pick<Recall, 'search'>,
  { count = twoCharacters, maxTokens = DEFAULT_BUDGET, redactor }: RecallToolOptions = {},
): Tool {
  const names = new Set(['recall'] as const);
  return RECALL.bind({ recall, count, budget: maxTokens, maxTokens, names, ...(redactor && { redactor }) });
}

const twoCharacters = (text: string): Tokens => Math.ceil(text.length / 2);

/** As many passages as fit, best first. The first is cut if it does not fit alone. */
function hitsText(hits: readonly RecallHit[], budget: Tokens, count: (text: string) => Tokens): string {
  let text = '';
  for (const hit of hits) {
    const next = `${text}${text === '' ? '' : '\n'}${headOf(hit)}\n${disarmed(hit.text.trimEnd())}\n`;
    if (count(next) > budget) return text === '' ? cutToBudget(next, budget, count) : text;
    text = next;
  }
  return text;
}

const headOf = ({ kind, source, id, line }: RecallHit): string =>
  `==> ${kind} ${oneLine(source)}, ${oneLine(id)} from line ${line} <==`;
