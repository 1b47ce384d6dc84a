// What a tool is, apart from any host: a name, a description, the arguments it takes, and a run that always answers.

import type { z } from 'zod';
import { type ErrorCode, ReaderError, wellFormed } from '../contract/index.ts';
import { inToolWords } from './words.ts';

/** The tools there are. */
export type ToolName =
  | 'read_file'
  | 'list_files'
  | 'find_files'
  | 'search_files'
  | 'file_info'
  | 'write_file'
  | 'edit_file'
  | 'save_result'
  | 'plan'
  | 'recall';

/** A piece of an answer. Text comes first; an image or a recording follows as it is. */
export type ToolPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'media';
      readonly data: Uint8Array;
      readonly mimeType: string;
      /** Of the file it comes from. */
      readonly name: string;
    };

/** What a call answers: an error is an answer too, and names a next step. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly parts: readonly ToolPart[];
}

/** How far a call has come; `progress` only rises. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  /** What is counted: `bytes`, `rows`. */
  readonly unit: string;
}

/** What a host may give with a call. */
export interface ToolContext {
  readonly signal?: AbortSignal | undefined;
  /** Called at most ten times a second. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** One tool. Made by `createTools`, `planTool` and `recallTool`; adapters turn it into what a host expects. */
export interface Tool {
  readonly name: ToolName;
  /** For people. */
  readonly title: string;
  /** For the model. Names no tool that is not in the same set. */
  readonly description: string;
  /** The arguments in their canonical form. `run` also takes what models write instead. */
  readonly input: z.ZodObject;
  /** It changes nothing. */
  readonly readOnly: boolean;
  /** It can replace what was there. */
  readonly destructive: boolean;
  /**
   * Answers keep to a budget and say how to go on, so a host must not put them into a file instead: reading that file
   * would be answered, and put away, again.
   */
  readonly offload: false;
  /** `args` in canonical form where all of them are understood, else as they were given: for transcripts. Never throws. */
  canonical(args: unknown): unknown;
  /** `args`: an object, or its JSON. Never throws and never rejects. */
  run(args: unknown, context?: ToolContext): Promise<ToolAnswer>;
}

/** An answer of text alone. */
export function textAnswer(text: string): ToolAnswer {
  return { isError: false, parts: [{ kind: 'text', text }] };
}

/** An answer that says what is wrong and what to do next. */
export function errorAnswer(error: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}): ToolAnswer {
  const text = `Error ${error.code}: ${inToolWords(`${error.message} ${error.hint}`)}`;
  return { isError: true, parts: [{ kind: 'text', text }] };
}

/** Any error as an answer; what is no ReaderError tells nothing of itself. */
export function failedAnswer(error: unknown): ToolAnswer {
  if (error instanceof ReaderError) return errorAnswer(error);
  return errorAnswer({
    code: 'INTERNAL',
    message: 'The tool failed because of a fault in lectern.',
    hint: 'Try other arguments; if it stays, report it.',
  });
}

/** `answer` with U+FFFD for every unpaired surrogate, such as an argument may bring: no host can send one as UTF-8. */
export function encodable(answer: ToolAnswer): ToolAnswer {
  const parts = answer.parts.map((part) =>
    part.kind === 'text' ? { ...part, text: wellFormed(part.text) } : part,
  );
  return { ...answer, parts };
}

/** The text of an answer. */
export function textOf(answer: ToolAnswer): string {
  return answer.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
