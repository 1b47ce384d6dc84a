// The host-independent tool interface: a name, a description, arguments, and a run that always returns an answer.

import type { z } from 'zod';
import { type ErrorCode, ReaderError, wellFormed } from '../contract/index.ts';
import { inToolWords } from './words.ts';

/** Names of all tools. */
export type ToolName =
  | 'read_file'
  | 'list_files'
  | 'find_files'
  | 'search_files'
  | 'file_info'
  | 'write_file'
  | 'edit_file'
  | 'save_result'
  | 'query_result'
  | 'plan'
  | 'recall';

/** A part of an answer. Text comes first, followed by images or recordings unchanged. */
export type ToolPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'media';
      readonly data: Uint8Array;
      readonly mimeType: string;
      /** Name of its file. */
      readonly name: string;
    };

/** The answer to a call. An error is also an answer, and names a next step. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly parts: readonly ToolPart[];
}

/** Progress of a call; `progress` never decreases. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  /** What is counted: `bytes`, `rows`. */
  readonly unit: string;
}

/** Optional context a host passes with a call. */
export interface ToolContext {
  readonly signal?: AbortSignal | undefined;
  /** Called at most ten times a second. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** One tool. Created by `createTools`, `planTool` and `recallTool`; adapters convert it for a host. */
export interface Tool {
  readonly name: ToolName;
  /** Shown to people. */
  readonly title: string;
  /** Shown to the model. Names only tools of the same set. */
  readonly description: string;
  /** The arguments in canonical form. `run` also accepts other forms models write. */
  readonly input: z.ZodObject;
  /** The tool changes nothing. */
  readonly readOnly: boolean;
  /** The tool can replace existing content. */
  readonly destructive: boolean;
  /**
   * Answers stay within a budget and say how to continue, so a host must not offload them to a file: reading that file
   * would be offloaded again.
   */
  readonly offload: false;
  /** `args` in canonical form if all are understood, else unchanged: for transcripts. Never throws. */
  canonical(args: unknown): unknown;
  /** `args`: an object, or its JSON. Never throws and never rejects. */
  run(args: unknown, context?: ToolContext): Promise<ToolAnswer>;
}

/** An answer with only text. */
export function textAnswer(text: string): ToolAnswer {
  return { isError: false, parts: [{ kind: 'text', text }] };
}

/** An answer with an error and what to do next. */
export function errorAnswer(error: {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}): ToolAnswer {
  const text = `Error ${error.code}: ${inToolWords(`${error.message} ${error.hint}`)}`;
  return { isError: true, parts: [{ kind: 'text', text }] };
}

/** Any error as an answer; details of errors other than ReaderError are not exposed. */
export function failedAnswer(error: unknown): ToolAnswer {
  if (error instanceof ReaderError) return errorAnswer(error);
  return errorAnswer({
    code: 'INTERNAL',
    message: 'The tool failed because of an internal error in lectern.',
    hint: 'Try other arguments; if it fails again, report it.',
  });
}

/** `answer` with U+FFFD for every unpaired surrogate, which an argument may contain: no host can send one as UTF-8. */
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
