// Reads several files under one budget.

import { headingOf, quoted, ReaderError } from '../contract/index.ts';
import type { Engine } from './engine.ts';
import { answer, asReaderError, failure } from './failure.ts';
import { headingNames, nameOf } from './input-names.ts';
import { readOne } from './read.ts';
import { budgetOf, checkRequest, type ReadRequest } from './request.ts';
import type { FileExtractionResult } from './result.ts';
import { type Input, unwrap } from './source/input.ts';
import { openAddress } from './source/open.ts';

/**
 * Each file gets a fair share, and passes on what it does not need. Budgets are assigned to small answers first;
 * results keep the order of the inputs.
 * @throws {ReaderError} BAD_INPUT if the inputs are not an array
 */
export async function readMany(
  engine: Engine,
  given: readonly Input[],
  request: ReadRequest,
): Promise<FileExtractionResult[]> {
  const inputs = listOf(given);
  const named = (input: Input): string => nameOf(input, engine.files !== undefined);
  try {
    checkRequest(request);
  } catch (error) {
    return inputs.map((input) => failure(asReaderError(error), named(input)));
  }
  const results = new Array<FileExtractionResult | undefined>(inputs.length);
  const total = budgetOf(request, engine.limits);
  const order = [...inputs.entries()];
  // One at a time, because each is opened for it and open files are limited.
  const sizes: number[] = [];
  for (const input of inputs) sizes.push(await sizeOf(engine, input));
  order.sort(([a], [b]) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  // Every heading is paid for first, so that every file is listed even when nothing of it fits.
  const names = headingNames(inputs, engine.files !== undefined);
  const headings = names.map((name) => (inputs.length > 1 ? headingOf(name) : ''));
  const costs = headings.map((heading) => engine.counter.count(heading));
  let left = total - costs.reduce((sum, cost) => sum + cost, 0);
  const spent = new Array<number>(inputs.length).fill(0);
  const read = async (turn: number, index: number, input: Input, share: number): Promise<void> => {
    const heading = left >= 0 ? (headings[index] ?? '') : '';
    const maxTokens = share + (heading === '' ? 0 : (costs[index] ?? 0));
    const { onProgress, said, ...others } = request;
    const place = { name: names[index] ?? '', file: turn + 1, files: inputs.length };
    const asked: ReadRequest = {
      ...others,
      // An answer that replaces another one repeats its notes.
      ...(said && !results[index] && { said }),
      ...(total !== Number.POSITIVE_INFINITY && { maxTokens }),
      ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, ...place }) }),
    };
    const around = { heading, among: inputs.length > 1 };
    const result = await answer(named(input), () => readOne(engine, input, asked, around));
    const cost = Math.max(0, engine.counter.count(saidOf(result)) - (costs[index] ?? 0));
    left += (spent[index] ?? 0) - cost;
    spent[index] = cost;
    results[index] = result;
  };
  const shareOf = (turn: number, of: number): number =>
    total === Number.POSITIVE_INFINITY ? total : Math.max(0, Math.floor(left / (of - turn)));
  for (const [turn, [index, input]] of order.entries())
    await read(turn, index, input, shareOf(turn, order.length));
  // A large file may take few tokens: give what the last files left over to those cut before.
  if (total === Number.POSITIVE_INFINITY || left < total * WORTH_A_READ) return listed(results);
  const cut = order.filter(([index]) => isCut(results[index]));
  for (const [turn, [index, input]] of cut.entries())
    await read(order.length - 1, index, input, (spent[index] ?? 0) + shareOf(turn, cut.length));
  return listed(results);
}

/** Share of the budget that makes it worth reading a cut file again. */
const WORTH_A_READ = 0.15;

const isCut = (result: FileExtractionResult | undefined): boolean =>
  result?.success === true && result.truncation !== null;

const listed = (results: readonly (FileExtractionResult | undefined)[]): FileExtractionResult[] =>
  results.filter((result) => result !== undefined);

/** The text of a result as shown; a failure also costs tokens. */
const saidOf = (result: FileExtractionResult): string =>
  result.success ? result.text : `Error ${result.error.code}: ${result.error.message} ${result.error.hint}\n`;

/** A copy without holes. */
function listOf(given: unknown): readonly Input[] {
  if (Array.isArray(given)) return [...given];
  throw new ReaderError(
    'BAD_INPUT',
    `The inputs are ${given === null ? 'null' : `a value of type ${quoted(typeof given)}`}; expected an array.`,
    'Pass the files as an array.',
  );
}

async function sizeOf(engine: Engine, input: Input): Promise<number> {
  try {
    const { given } = unwrap(input);
    if (given instanceof Uint8Array) return given.length;
    if (given instanceof ArrayBuffer) return given.byteLength;
    if (given instanceof Blob) return given.size;
    if (typeof given !== 'string' && !(given instanceof URL)) return Number.MAX_SAFE_INTEGER;
    const opened = await openAddress(given, engine.limits, new AbortController().signal, engine.files);
    await opened.close();
    return opened.source.size;
  } catch (error) {
    if (error instanceof ReaderError) return 0; // reading it will fail again and report the error
    throw error;
  }
}
