// One request's worth of files prepared for one provider, and everything about the answer that can be checked from outside:
// the provider's rules, the account of every file, the budget, the sizes, and that the calls it names work.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  AttachedFile,
  Input,
  PrepareAttachmentsOptions,
  PreparedAttachments,
  Reader,
  Workspace,
} from '../../src/index.ts';
import type { Tool } from '../../src/tools/index.ts';
import type { AnyFile } from './any-file.ts';
import { at, type RuledTarget, type Verdict, wireLength } from './provider-rules/index.ts';

/** What is under test. */
export interface TrialTools {
  readonly prepareAttachments: (
    files: readonly Input[],
    options: PrepareAttachmentsOptions,
  ) => Promise<PreparedAttachments>;
  readonly workspace: Workspace;
  /** Of the workspace. */
  readonly reader: Reader;
  readonly hostReader: Reader;
  /** `read_file` of the same workspace. */
  readonly readFile: Tool;
  readonly count: (text: string) => number;
}

/** One request. */
export interface Trial {
  readonly target: RuledTarget;
  readonly files: readonly AnyFile[];
  /** Where the files lie. */
  readonly folder: string;
  readonly budget: number;
  /** How they are handed over. */
  readonly as: 'workspace paths' | 'host paths' | 'bytes';
}

/** What came of it. */
export interface TrialResult {
  /** Of the provider's rules. */
  readonly outside: readonly string[];
  /** Of anything else. */
  readonly problems: readonly string[];
  readonly given: readonly AttachedFile['given'][];
  readonly seconds: number;
}

export async function tryAttachments(trial: Trial, tools: TrialTools): Promise<TrialResult> {
  const { target, files, budget } = trial;
  const inputs = await Promise.all(files.map((file) => inputOf(file, trial)));
  const started = performance.now();
  let prepared: PreparedAttachments;
  try {
    prepared = await tools.prepareAttachments(inputs, {
      target: target.target,
      ...(target.model !== undefined && { model: target.model }),
      budget,
      ...(trial.as === 'workspace paths'
        ? { workspace: tools.workspace, reader: tools.reader }
        : { reader: tools.hostReader }),
    });
  } catch (error) {
    return { outside: [], problems: [`threw ${String(error)}`], given: [], seconds: since(started) };
  }
  const seconds = since(started);
  const verdict = await target.rules.judge(prepared.content, target.rules.request(prepared.content));
  const problems = [
    ...accountProblems(prepared, trial),
    ...budgetProblems(prepared, verdict, trial, tools),
    ...(await nativeProblems(prepared, trial)),
    ...(await callProblems(prepared, trial, tools)),
  ];
  const outside = verdict.problems.map((problem) =>
    problem.replace(/content\[(\d+)\]/, (place, index) => `${place} (${nameOf(prepared, Number(index))})`),
  );
  return { outside, problems, given: prepared.files.map(({ given }) => given), seconds };
}

function nameOf(prepared: PreparedAttachments, index: number): string {
  const part = prepared.parts[index];
  return part && 'name' in part ? part.name : (part?.kind ?? '');
}

const since = (started: number): number => (performance.now() - started) / 1000;

async function inputOf({ path, bytes }: AnyFile, { folder, as }: Trial): Promise<Input> {
  if (as === 'workspace paths') return path;
  const host = join(folder, path);
  if (as === 'host paths' || bytes === undefined) return host;
  const name = path.slice(path.indexOf('/') + 1);
  return { name, bytes: new Uint8Array(await readFile(host)) };
}

/** Every file once, in order, on one line, with its size and what was given. */
function accountProblems(prepared: PreparedAttachments, { files, folder, budget }: Trial): string[] {
  const problems: string[] = [];
  const { listing } = prepared;
  const lines = listing.split('\n');
  if (lines.length !== files.length + 2 || lines.at(-1) !== '')
    problems.push(`the listing has ${lines.length - 2} lines for ${files.length} files`);
  if (prepared.files.length !== files.length) problems.push(`${prepared.files.length} files in the account`);
  const first = at(prepared.content, '0');
  if (at(first, 'text') !== listing) problems.push('the listing is not the first text');
  for (const [index, made] of files.entries()) {
    const told = prepared.files[index];
    const line = lines[index + 1] ?? '';
    if (!told) continue;
    const of = (what: string): number => problems.push(`file ${index + 1} (${made.kind}): ${what}`);
    if (!line.startsWith(`${index + 1}. ${told.name}`)) of(`its line is ${line.slice(0, 80)}`);
    if (told.bytes !== made.bytes && !(made.bytes === undefined && told.bytes === undefined))
      of(`${told.bytes} bytes told, ${made.bytes} true`);
    if (made.bytes !== undefined && budget >= 200 * files.length) {
      if (!line.includes(`${made.bytes} byte`)) of(`no size in ${line.slice(0, 120)}`);
      if (told.path !== undefined && !line.includes(told.path) && !/\p{C}/u.test(told.path)) of('no path');
      if (told.call !== undefined && !line.includes(told.call)) of('its call is not in the listing');
    }
    if (told.note === '') of('nothing is said of it');
    if (told.error?.code === 'INTERNAL') of(`a fault: ${told.note}`);
    if (told.given === 'nothing' && made.bytes !== undefined && made.bytes > 0 && told.path !== undefined)
      of(`given nothing, not even a reference: ${told.note}`);
    if (told.given === 'reference' && told.path === undefined) of('a reference without a path');
  }
  const words = prepared.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
  if (words.includes(folder)) problems.push('a host path is shown');
  return problems;
}

function budgetProblems(
  prepared: PreparedAttachments,
  { mediaTokens, texts }: Verdict,
  { budget }: Trial,
  { count }: TrialTools,
): string[] {
  const problems: string[] = [];
  const own = Math.floor(mediaTokens + texts.reduce((sum, text) => sum + count(text), 0));
  const { content, tokens, requestBytes } = prepared;
  const alone = content.length === 1;
  if (tokens > budget && !alone) problems.push(`${tokens} tokens told, budget ${budget}`);
  if (own > budget && !alone) problems.push(`${own} tokens counted, budget ${budget}`);
  if (own > tokens) problems.push(`${own} tokens counted, ${tokens} told`);
  const bytes = wireLength(content);
  if (requestBytes !== bytes) problems.push(`${requestBytes} bytes told of ${bytes}`);
  return problems;
}

const hash = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');

/** What is said to be the file's own bytes is. */
async function nativeProblems(
  prepared: PreparedAttachments,
  { files, folder }: Trial,
): Promise<readonly string[]> {
  const sent = new Set(prepared.parts.flatMap((part) => ('data' in part ? [hash(part.data)] : [])));
  const problems: string[] = [];
  for (const [index, { kind, path }] of files.entries())
    if (prepared.files[index]?.given === 'native' && !sent.has(hash(await readFile(join(folder, path)))))
      problems.push(`file ${index + 1} (${kind}): said to be as it is, but is not`);
  return problems;
}

/** What cannot be read: that may be found out only by the call, unless it was told already. */
const BROKEN = /broken|damaged|truncated|header|bomb|encrypted|without pages|wrong extension/;

/** The calls work and go on with what was left out. */
async function callProblems(
  prepared: PreparedAttachments,
  { files }: Trial,
  { readFile: tool }: TrialTools,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [index, told] of prepared.files.entries()) {
    const made = files[index];
    if (told.call === undefined || !made) continue;
    const args = told.call.startsWith('read_file ') ? told.call.slice('read_file '.length) : '';
    const answer = await tool.run(args);
    const words = answer.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const say = (what: string): number =>
      problems.push(`file ${index + 1} (${made.kind}): ${told.call}: ${what}: ${words.slice(0, 200)}`);
    if (answer.isError && (told.error !== undefined || !BROKEN.test(made.kind))) say('fails');
    else if (words.trim() === '' && answer.parts.length < 2) say('answers nothing');
    const { unit, from } = told.truncation?.omitted[0] ?? {};
    if (told.given !== 'sample' || answer.isError || from === undefined) continue;
    if (unit !== 'row' && unit !== 'line') continue;
    if (made.kind.startsWith('csv') && !words.includes(`Item ${from}, no`)) say(`lacks row ${from}`);
    if (made.kind.startsWith('log') && !words.includes(`request ${from - 1} done`)) say(`lacks line ${from}`);
  }
  return problems;
}
