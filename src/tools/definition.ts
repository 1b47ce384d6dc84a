// How a tool is defined, once, and bound to a workspace and a reader. A run always returns an answer, even if it fails.

import type { z } from 'zod';
import { OWN, quoted, type Tokens } from '../contract/index.ts';
import type { Reader, SaidNotes } from '../reader/index.ts';
import type { Redactor } from '../redact/index.ts';
import type { Workspace } from '../workspace/index.ts';
import type { ArgumentRules } from './argument-rules.ts';
import { prepareArguments } from './arguments.ts';
import { inTurn } from './changes.ts';
import { foundPath, type PathKind } from './found-path.ts';
import { fieldsOf } from './schema.ts';
import type { SeenFiles } from './seen-files.ts';
import {
  encodable,
  failedAnswer,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  type ToolName,
  type ToolProgress,
} from './tool.ts';

/** Common dependencies of all tools. */
export interface BudgetRoom {
  /** Number of tokens in a text. */
  readonly count: (text: string) => Tokens;
  /** Budget of an answer. */
  readonly budget: Tokens;
  /** Maximum budget a model may request. */
  readonly maxTokens: Tokens;
  /** Replaces secrets in answers; of a file tool, that of its reader does. */
  readonly redactor?: Redactor;
  /** Tools in the set, so that next steps only name available ones. */
  readonly names: ReadonlySet<ToolName>;
}

/** Dependencies of a file tool. */
export interface ToolRoom extends BudgetRoom {
  readonly workspace: Workspace;
  readonly reader: Pick<
    Reader,
    'read' | 'readMany' | 'inspect' | 'stream' | 'limits' | 'processors' | 'count' | 'redactor'
  >;
  /** Notes that the model has been given, in one conversation. */
  readonly said: SaidNotes;
  /** Absent if no tool of the set writes files. */
  readonly seen?: SeenFiles;
}

/** What the host provides for a run. */
export interface RunContext {
  readonly signal: AbortSignal;
  readonly progress: (progress: ToolProgress) => void;
}

/** A tool before it is bound. */
export interface ToolDefinition<Input extends z.ZodObject, Room extends BudgetRoom> extends ArgumentRules {
  readonly name: ToolName;
  readonly title: string;
  readonly destructive: boolean;
  /** What its argument `path` leads to, if it is looked up in the workspace. */
  readonly leadsTo?: PathKind;
  /** The description, given the other tools in the set. */
  readonly describe: (names: ReadonlySet<ToolName>) => string;
  readonly input: Input;
  readonly run: (args: z.output<Input>, room: Room, context: RunContext) => Promise<ToolAnswer>;
}

/** A definition with its argument types erased. */
export interface DefinedTool<Room extends BudgetRoom = ToolRoom> {
  readonly name: ToolName;
  readonly readOnly: boolean;
  bind(room: Room): Tool;
}

/** Turns a definition into an element of a list. */
export function defineTool<Input extends z.ZodObject, Room extends BudgetRoom = ToolRoom>(
  definition: ToolDefinition<Input, Room>,
): DefinedTool<Room> {
  const { name, title, readOnly, destructive, input, advertised = input } = definition;
  return {
    name,
    readOnly,
    bind: (room) => ({
      name,
      title,
      description: definition.describe(room.names),
      input: advertised,
      readOnly,
      destructive,
      offload: false,
      canonical: (given) => {
        try {
          const { args, ignored } = prepareArguments(definition, given);
          // Keep ignored arguments, so that the answer can mention them.
          return ignored.length > 0 ? given : args;
        } catch {
          return given;
        }
      },
      run: async (given, context = {}) => {
        const run = async (): Promise<ToolAnswer> => {
          const { args: prepared, ignored } = prepareArguments(definition, given);
          const { args, note: found } = await withPath(definition, prepared, room, context);
          const note = `${ignoredNote(ignored)}${found}`;
          // The note counts against the budget.
          const cost = note === '' ? 0 : room.count(note);
          const budget = Math.max(1, room.budget - cost);
          const maxTokens = Math.max(1, room.maxTokens - cost);
          // Checked against this schema.
          const checked = args as z.output<Input>;
          const answer = await definition.run(checked, { ...room, budget, maxTokens }, runContext(context));
          return withNote(answer, note);
        };
        try {
          const { signal } = runContext(context);
          const changed = readOnly || definition.leadsTo === undefined ? undefined : workspaceOf(room);
          return safe(await (changed ? inTurn(changed, signal, run) : run()), room);
        } catch (error) {
          return safe(failedAnswer(error), room);
        }
      },
    }),
  };
}

/** What every answer passes last. Names of files, errors and excerpts are redacted here, content before it is cut. */
function safe(answer: ToolAnswer, room: BudgetRoom | ToolRoom): ToolAnswer {
  const whole = encodable(answer);
  const redactor = room.redactor ?? ('reader' in room ? room.reader.redactor : undefined);
  if (!redactor) return whole;
  const parts = whole.parts.map((part) =>
    part.kind === 'text'
      ? { ...part, text: redactor.text(part.text) }
      : { ...part, name: redactor.text(part.name) },
  );
  return { ...whole, parts };
}

const workspaceOf = (room: BudgetRoom | ToolRoom): Workspace | undefined =>
  'workspace' in room ? room.workspace : undefined;

/** `args` with the actual path, and the lines that followed it as written. */
async function withPath(
  { input, leadsTo }: Pick<ToolDefinition<z.ZodObject, BudgetRoom>, 'input' | 'leadsTo'>,
  args: Record<string, unknown>,
  room: BudgetRoom | ToolRoom,
  { signal = new AbortController().signal }: ToolContext,
): Promise<{ readonly args: Record<string, unknown>; readonly note: string }> {
  const given = args['path'];
  if (leadsTo === undefined || typeof given !== 'string' || !('workspace' in room)) return { args, note: '' };
  const { path, lines, note = '' } = await foundPath(room.workspace, given, leadsTo, signal);
  const takesLines =
    lines !== undefined && 'lines' in fieldsOf(input) && !PLACES.some((name) => args[name] !== undefined);
  return { args: { ...args, path, ...(takesLines && { lines }) }, note };
}

/** Arguments that select a part of a file. */
const PLACES: readonly string[] = [
  'lines',
  'rows',
  'pages',
  'pointer',
  'region',
  'bytes',
  'cursor',
  'symbol',
  'sheet',
];

function runContext({ signal, onProgress }: ToolContext): RunContext {
  let last = -1;
  return {
    signal: signal ?? new AbortController().signal,
    progress: (progress) => {
      if (!onProgress || progress.progress <= last) return;
      last = progress.progress;
      onProgress(progress);
    },
  };
}

function ignoredNote(ignored: readonly string[]): string {
  if (ignored.length === 0) return '';
  const shown = ignored.slice(0, 5).map(quoted).join(', ');
  const more = ignored.length > 5 ? ` and ${ignored.length - 5} more` : '';
  return `\n${OWN.note}${shown}${more}: unknown argument, ignored.]\n`;
}

/** Adds the note after the last text; an empty note changes nothing. */
export function withNote(answer: ToolAnswer, note: string): ToolAnswer {
  if (note === '') return answer;
  const at = answer.parts.findLastIndex((part) => part.kind === 'text');
  const before = answer.parts[at];
  const text = before?.kind === 'text' ? before.text : '';
  const noted = { kind: 'text', text: text.endsWith('\n') ? text + note.trimStart() : text + note } as const;
  return { ...answer, parts: at < 0 ? [noted, ...answer.parts] : answer.parts.with(at, noted) };
}

/** The available ones of `names`, as a choice: `` `a` or `b` ``; empty when there are none. */
export function anyOf(names: ReadonlySet<ToolName>, ...wanted: readonly ToolName[]): string {
  return wanted
    .filter((name) => names.has(name))
    .map((name) => `\`${name}\``)
    .join(' or ');
}
