// `lectern chunks`: prints files in pieces for a search index, as JSON Lines or to be looked at.

import { oneLine, quoted, shortName, visibleJson } from '../contract/index.ts';
import {
  type Chunk,
  type ChunkRequest,
  createReader,
  EXIT_STATUS,
  type Input,
  type Reader,
  ReaderError,
  type Tokens,
} from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { COMMON_OPTIONS, READ_OPTIONS, redactFrom, type Values } from './options.ts';
import { PASSWORD_OPTIONS, passwordFrom, promptedPassword } from './password.ts';
import { inputFrom, needFiles, report, tokenizerFrom } from './read-command.ts';
import { sizeOf } from './sizes.ts';
import { progressOf, type Terminal } from './terminal.ts';

export const chunks: Command = {
  options: [
    { name: 'max-tokens', value: 'N', help: 'tokens of each chunk (default: 512)' },
    {
      name: 'overlap',
      value: 'N',
      help: 'tokens of whole sentences repeated from the chunk before (default: 0)',
    },
    ...READ_OPTIONS.filter(({ name }) => ['tokenizer', 'encoding', 'no-cache', 'redact'].includes(name)),
    ...PASSWORD_OPTIONS,
    ...COMMON_OPTIONS.map((option) =>
      option.name === 'json' ? { ...option, help: 'print one JSON object per line' } : option,
    ),
  ],
  variables: LIMIT_DEFINITIONS,
  async run(files, values, terminal) {
    needFiles(files);
    const tokenizer = tokenizerFrom(values);
    const reader = createReader({
      environment: terminal.environment,
      ...(tokenizer && { tokenizer }),
      ...(values['no-cache'] === true && { cache: false }),
      ...redactFrom(values),
    });
    let request: ChunkRequest = {
      ...requestFrom(values, terminal),
      ...(await passwordFrom(files, values, terminal)),
    };
    const write = values['json'] === true ? jsonLine : readable;
    let status = 0;
    for (const [at, file] of files.entries()) {
      const print = (asked: ChunkRequest): Promise<void> =>
        printChunks(reader, inputFrom(file, terminal), file, asked, write, terminal);
      try {
        const asked = { ...request, onProgress: progressOf(terminal, files, at) };
        await print(asked).catch(async (error: unknown) => {
          if (!(error instanceof ReaderError)) throw error;
          const password = await promptedPassword(files, file, error, request, terminal);
          if (password === undefined) throw error;
          request = { ...request, password };
          await print({ ...asked, password });
        });
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error;
        terminal.done();
        report(terminal, file, error);
        status ||= EXIT_STATUS[error.code];
        if (error.code === 'ABORTED') break;
      }
    }
    terminal.done();
    return status;
  },
};

function requestFrom(values: Values, { signal }: Terminal): ChunkRequest {
  const { encoding } = values;
  const maxTokens = tokensFrom(values, 'max-tokens');
  const overlap = tokensFrom(values, 'overlap');
  return {
    signal,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(overlap !== undefined && { overlap }),
    ...(typeof encoding === 'string' && { encoding }),
  };
}

function tokensFrom(values: Values, flag: string): Tokens | undefined {
  const value = values[flag];
  if (typeof value !== 'string') return undefined;
  const tokens = sizeOf(value);
  if (tokens !== null) return tokens;
  throw new ReaderError(
    'BAD_INPUT',
    `\`--${flag}\` is ${quoted(value)}; expected a number of tokens.`,
    `Write it as in \`--${flag} 100\`.`,
  );
}

type Written = (file: string, chunk: Chunk) => string;

const jsonLine: Written = (file, { text, tokens, headings, place, address }) =>
  `${visibleJson(JSON.stringify({ file, text, tokens, headings, place, address }))}\n`;

const readable: Written = (_file, { text, tokens, headings, address }) =>
  `--- ${[oneLine(address), tokens, ...headings.map(oneLine)].join(' | ')}\n${text}\n`;

async function printChunks(
  reader: Reader,
  input: Input,
  file: string,
  request: ChunkRequest,
  write: Written,
  terminal: Terminal,
): Promise<void> {
  const parts = reader.chunks(input, request)[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await parts.next();
    if (!done) {
      await terminal.out(write(file, value));
      continue;
    }
    for (const { code, message } of value) terminal.err(`${shortName(file)}: ${code}: ${oneLine(message)}\n`);
    return;
  }
}
