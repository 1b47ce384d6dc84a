// `lectern tokens`: counts the tokens of whole files without printing them.

import { oneLine, type Part, plural, safeCut } from '../contract/index.ts';
import { createReader, createTokenCounter, EXIT_STATUS, ReaderError, type TokenCounter } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS, READ_OPTIONS } from './options.ts';
import { PASSWORD_OPTIONS, passwordFrom } from './password.ts';
import { asJson, inputFrom, needFiles, report, tokenizerFrom } from './read-command.ts';
import { progressOf } from './terminal.ts';

/** Cost of one file. */
interface Cost {
  readonly name: string;
  readonly tokens: number;
  readonly characters: number;
  /** Number of images and recordings, which a tokenizer cannot count. */
  readonly media: number;
}

export const tokens: Command = {
  options: [
    ...READ_OPTIONS.filter(({ name }) => name === 'tokenizer' || name === 'encoding'),
    ...PASSWORD_OPTIONS,
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
      ...(typeof encoding === 'string' && { encoding }),
      ...(await passwordFrom(files, values, terminal)),
    };
    const costs: Cost[] = [];
    let status = 0;
    for (const [at, file] of files.entries()) {
      try {
        const asked = { ...request, onProgress: progressOf(terminal, files, at) };
        costs.push(await costOf(file, reader.stream(inputFrom(file, terminal), asked), counter));
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

/** Characters counted per call. */
const STRETCH = 2 ** 18;
/** Maximum buffered characters without a safe split; beyond it the text is split anywhere, which may add a token. */
const MAX_WAITING = 2 ** 22;

/**
 * Counts a text that arrives in chunks, in bounded memory and linear time. The sum equals the count of the whole text,
 * because it is split only where both encodings end a token: between a line break and a letter or digit.
 */
class RunningCount {
  readonly #counter: TokenCounter;
  #waiting = '';
  /** Characters of `#waiting` already searched for a safe split. */
  #searched = 0;
  #tokens = 0;

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  add(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length < STRETCH) return;
    const seam = lastSeam(this.#waiting, this.#searched);
    if (seam > 0) this.#count(seam);
    else if (this.#waiting.length > MAX_WAITING) this.#count(safeCut(this.#waiting, MAX_WAITING));
    else this.#searched = this.#waiting.length - 1;
  }

  end(): number {
    this.#count(this.#waiting.length);
    return this.#tokens;
  }

  #count(length: number): void {
    this.#tokens += this.#counter.count(this.#waiting.slice(0, length));
    this.#waiting = this.#waiting.slice(length);
    this.#searched = 0;
  }
}

/** Start of the last line that begins with an ASCII letter or digit, after `from`; 0 if there is none. */
function lastSeam(text: string, from: number): number {
  for (let at = text.lastIndexOf('\n'); at >= from && at > 0; at = text.lastIndexOf('\n', at - 1))
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
