// `lectern tokens`: what each file costs a model when it is read whole, without printing it.

import { oneLine, type Part, plural } from '../contract/index.ts';
import { createReader, createTokenCounter, EXIT_STATUS, ReaderError, type TokenCounter } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS, READ_OPTIONS } from './options.ts';
import { asJson, inputFrom, needFiles, report, tokenizerFrom } from './read-command.ts';

/** What one file costs. */
interface Cost {
  readonly name: string;
  readonly tokens: number;
  readonly characters: number;
  /** Pictures and recordings, which a tokenizer does not count. */
  readonly media: number;
}

export const tokens: Command = {
  options: [
    ...READ_OPTIONS.filter(({ name }) => name === 'tokenizer' || name === 'encoding'),
    ...COMMON_OPTIONS,
  ],
  variables: LIMIT_DEFINITIONS,
  async run(files, values, terminal) {
    needFiles(files);
    const tokenizer = tokenizerFrom(values);
    const reader = createReader({ environment: terminal.environment, ...(tokenizer && { tokenizer }) });
    const counter = createTokenCounter(tokenizer);
    const { encoding } = values;
    const request = {
      signal: terminal.signal,
      onProgress: terminal.progress,
      ...(typeof encoding === 'string' && { encoding }),
    };
    const costs: Cost[] = [];
    let status = 0;
    for (const file of files) {
      try {
        costs.push(await costOf(file, reader.stream(inputFrom(file, terminal), request), counter));
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error;
        terminal.done();
        report(terminal, file, error);
        status ||= EXIT_STATUS[error.code];
      }
    }
    terminal.done();
    await terminal.out(
      values['json'] === true ? asJson(costs.length === 1 ? costs[0] : costs) : tableOf(costs),
    );
    return status;
  },
};

async function costOf(name: string, parts: AsyncIterable<Part>, counter: TokenCounter): Promise<Cost> {
  const sum = new RunningCount(counter);
  let characters = 0;
  let media = 0;
  for await (const part of parts) {
    if (part.kind === 'text') {
      const text = part.view ?? part.text;
      characters += text.length;
      sum.add(text);
    } else media += 1;
  }
  return { name, tokens: sum.end(), characters, media };
}

/** Characters that are counted together. */
const STRETCH = 2 ** 18;

/**
 * Counts a text that comes in pieces, to the same number as the whole: it is parted only between a line break and a letter or
 * digit, where both encodings end a token.
 */
class RunningCount {
  readonly #counter: TokenCounter;
  #waiting = '';
  #tokens = 0;

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  add(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length < STRETCH) return;
    const end = lastSeam(this.#waiting);
    if (end === 0) return;
    this.#tokens += this.#counter.count(this.#waiting.slice(0, end));
    this.#waiting = this.#waiting.slice(end);
  }

  end(): number {
    this.#tokens += this.#counter.count(this.#waiting);
    this.#waiting = '';
    return this.#tokens;
  }
}

/** Where the last line begins that starts with a letter or digit of ASCII; 0 for none. */
function lastSeam(text: string): number {
  for (let at = text.lastIndexOf('\n'); at > 0; at = text.lastIndexOf('\n', at - 1))
    if (/[A-Za-z0-9]/.test(text.charAt(at + 1))) return at + 1;
  return 0;
}

function tableOf(costs: readonly Cost[]): string {
  const total = costs.reduce((sum, cost) => sum + cost.tokens, 0);
  const rows = costs.map(
    ({ name, tokens: own, media }) =>
      [
        own,
        `${oneLine(name)}${media > 0 ? `  (and ${plural(media, 'media part')}, not counted)` : ''}`,
      ] as const,
  );
  if (costs.length > 1) rows.push([total, 'total']);
  const width = Math.max(0, ...rows.map(([own]) => String(own).length));
  return rows.map(([own, what]) => `${String(own).padStart(width)}  ${what}\n`).join('');
}
