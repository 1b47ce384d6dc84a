// State of the page: files, answers and the request, with the actions that change them.

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { ApiError, apiKey, compact, countTokens, formats, limits, needsKey, read } from './api.ts';
import { type Conversation, conversationIn } from './conversation.ts';
import { type Field, fieldsFor, type RequestValues, requestOf } from './request.ts';
import type { Compaction, Format, Problem, ReadResult, ReadSuccess } from './wire.ts';

/** An answer, with the exact token count of the text the model sees. */
export interface Part {
  readonly result: ReadResult;
  /** The request of this part. The first part uses `request`, which other files may share. */
  readonly asked: RequestValues;
  readonly tokens: number;
}

/** A file and the parts read so far. */
export interface Entry {
  readonly id: number;
  readonly file: File;
  readonly parts: readonly Part[];
}

export const entries: Signal<readonly Entry[]> = signal([]);
export const selected: Signal<number> = signal(0);
/** Index of the part shown. */
export const position: Signal<number> = signal(0);
/** Show earlier parts above the current one. */
export const together: Signal<boolean> = signal(false);
export const entered: Signal<Readonly<Record<string, string>>> = signal({});
/** Opens protected files; kept in memory, and in no code that the page shows. */
export const password: Signal<string> = signal('');
export const busy: Signal<boolean> = signal(false);
/** Status message, also announced by screen readers. */
export const announcement: Signal<string> = signal('');
/** The server rejected the key that was entered. */
export const keyRefused: Signal<boolean> = signal(false);
export const conversation: Signal<Conversation | null> = signal(null);
/** `session` keeps the originals; empty if they are not kept. */
export const compaction: Signal<(Compaction & { readonly session: string }) | null> = signal(null);
export const compactProblem: Signal<Problem | null> = signal(null);
export const window_: Signal<string> = signal('16000');
export const preset: Signal<string> = signal('lectern');
/** Session to keep the originals in; empty to not keep them. */
export const keptIn: Signal<string> = signal('');
const known: Signal<readonly Format[]> = signal([]);
const inForce: Signal<ReadonlyMap<string, number>> = signal(new Map());

export const current: ReadonlySignal<Entry | undefined> = computed(() =>
  entries.value.find(({ id }) => id === selected.value),
);

export const fields: ReadonlySignal<readonly Field[]> = computed(() => {
  const lists = entries.value.map(selectsOf);
  const [first = []] = lists;
  return fieldsFor(new Set(first.filter((name) => lists.every((list) => list.includes(name)))));
});
export const request: ReadonlySignal<RequestValues> = computed(() => requestOf(entered.value, fields.value));
/** Budget in tokens; null for none. */
export const budget: ReadonlySignal<number | null> = computed(() => {
  if (request.value['all'] === true) return null;
  const asked = request.value['maxTokens'];
  return typeof asked === 'number' ? asked : (inForce.value.get('maxTokensPerFile') ?? null);
});

function selectsOf({ file, parts }: Entry): readonly string[] {
  const result = parts[0]?.result;
  const name = file.name.toLowerCase();
  const format = result?.success
    ? known.value.find((one) => one.name === result.processor)
    : known.value.find(({ extensions }) => extensions.some((ending) => name.endsWith(ending)));
  return format?.selects ?? [];
}

/** Loads formats and limits. @returns whether the server accepted the requests */
export async function loadFacts(): Promise<boolean> {
  try {
    const [list, map] = await Promise.all([formats(), limits()]);
    batch(() => {
      known.value = list;
      inForce.value = map;
    });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    announcement.value = needsKey.value ? '' : `${error.message} ${error.hint}`;
    return false;
  }
}

export const withPassword = (values: RequestValues): RequestValues =>
  password.value === '' ? values : { ...values, password: password.value };

let underway = new AbortController();
let lastId = 0;

/** Adds files to the page and reads them, or opens a conversation. */
export async function addFiles(files: readonly File[]): Promise<void> {
  const [only] = files;
  if (!only) {
    announcement.value = 'No file was found.';
    return;
  }
  const found = files.length === 1 && entries.value.length === 0 ? await conversationIn(only) : null;
  if (found) {
    conversation.value = found;
    await runCompaction();
    return;
  }
  const added = files.map((file) => ({ id: ++lastId, file, parts: [] }));
  batch(() => {
    conversation.value = null;
    entries.value = [...entries.value, ...added];
    selected.value = added[0]?.id ?? 0;
  });
  await readAll();
}

/** Reads the file of a conversation like any other file. */
export async function readAsFile(file: File): Promise<void> {
  conversation.value = null;
  entries.value = [{ id: ++lastId, file, parts: [] }];
  selected.value = lastId;
  await readAll();
}

export async function removeFile(id: number): Promise<void> {
  entries.value = entries.value.filter((entry) => entry.id !== id);
  if (selected.value === id) selected.value = entries.value[0]?.id ?? 0;
  if (entries.value.length > 0) await readAll();
}

export function startOver(): void {
  underway.abort();
  batch(() => {
    entries.value = [];
    entered.value = {};
    password.value = '';
    conversation.value = null;
    compaction.value = null;
    busy.value = false;
  });
}

/** Reads all files from the start with the current request. */
export async function readAll(): Promise<void> {
  const list = entries.value;
  await work(async (signal) => {
    const results = await read(
      list.map(({ file }) => file),
      withPassword(request.value),
      signal,
    );
    const parts = await Promise.all(results.map((result) => partOf(result, request.value, signal)));
    batch(() => {
      entries.value = list.map((entry, index) => ({ ...entry, parts: parts.slice(index, index + 1) }));
      position.value = 0;
    });
    const failed = results.filter(({ success }) => !success).length;
    announcement.value = countOf(results.length - failed, failed);
  });
}

function countOf(done: number, failed: number): string {
  const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`);
  if (done === 0) return `${files(failed)} could not be read.`;
  return `${files(done)} read${failed > 0 ? `, ${failed} could not be read` : ''}.`;
}

/** Shows what is at a place of the file, in place of the parts read so far. */
export async function showPlace(entry: Entry, place: string): Promise<void> {
  await work(async (signal) => {
    const asked = { ...walking(request.value), place };
    const [result] = await read([entry.file], withPassword(asked), signal);
    if (!result) return;
    const part = await partOf(result, asked, signal);
    batch(() => {
      entries.value = entries.value.map((one) => (one.id === entry.id ? { ...one, parts: [part] } : one));
      position.value = 0;
    });
    announcement.value = `${place} shown.`;
  });
}

/** Shows the next part, reading it from the cursor if it has not been read yet. */
export async function showNext(): Promise<void> {
  const entry = current.value;
  const result = entry?.parts[position.value]?.result;
  if (!entry || !result?.success) return;
  if (position.value + 1 < entry.parts.length) {
    position.value += 1;
    return;
  }
  const cursor = result.truncation?.next?.cursor;
  if (cursor === undefined) return;
  await work(async (signal) => {
    const { place } = entry.parts[position.value]?.asked ?? {};
    const asked = { ...walking(request.value), ...(place !== undefined && { place }), cursor };
    const [next] = await read([entry.file], withPassword(asked), signal);
    if (!next) return;
    const part = await partOf(next, asked, signal);
    batch(() => {
      entries.value = entries.value.map((one) =>
        one.id === entry.id ? { ...one, parts: [...entry.parts, part] } : one,
      );
      position.value += 1;
    });
    announcement.value = `Part ${position.value + 1} shown.`;
  });
}

export function showPrevious(): void {
  if (position.value === 0) return;
  position.value -= 1;
  announcement.value = `Part ${position.value + 1} shown.`;
}

/** The fields allowed with a cursor. The cursor contains the selection. */
function walking({ maxTokens, overflow, numbered }: RequestValues): RequestValues {
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(overflow !== undefined && { overflow }),
    ...(numbered !== undefined && { numbered }),
  };
}

const partOf = async (result: ReadResult, asked: RequestValues, signal: AbortSignal): Promise<Part> => ({
  result,
  asked,
  tokens: result.success ? await tokensOf(result, signal) : 0,
});

const tokensOf = async ({ text, truncation }: ReadSuccess, signal: AbortSignal): Promise<number> => {
  try {
    return await countTokens(text, signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return truncation?.tokens.shown ?? 0; // the text is too long for `POST /v1/tokens`
  }
};

export async function runCompaction(): Promise<void> {
  const held = conversation.value;
  if (!held) return;
  await work(async (signal) => {
    const { messages, system, tools } = held;
    const session = keptIn.value.trim();
    const size = Number(window_.value);
    try {
      const answer = await compact(
        {
          messages,
          preset: preset.value,
          force: true,
          ...(Number.isSafeInteger(size) && size > 0 && { window: size }),
          ...(system !== undefined && { system }),
          ...(tools !== undefined && { tools }),
          ...(session !== '' && { session }),
        },
        signal,
      );
      batch(() => {
        compaction.value = { ...answer, session };
        compactProblem.value = null;
      });
      const { before, after } = answer.report;
      announcement.value = `Compacted from ${before.tokens.toLocaleString('en')} to ${after.tokens.toLocaleString('en')} tokens.`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, message, hint } = error;
      batch(() => {
        compaction.value = null;
        compactProblem.value = { code, message, hint };
      });
    }
  });
}

/** Runs one request at a time: a new one aborts the previous one and clears its status message. */
export async function work(job: (signal: AbortSignal) => Promise<void>): Promise<void> {
  announcement.value = '';
  underway.abort();
  const mine = new AbortController();
  underway = mine;
  busy.value = true;
  try {
    await job(mine.signal);
  } catch (error) {
    if (!mine.signal.aborted) throw error;
  } finally {
    if (underway === mine) busy.value = false;
  }
}

/** Tries the key that was entered, and repeats the last request with it. */
export async function useKey(key: string): Promise<void> {
  apiKey.value = key;
  keyRefused.value = false;
  if (!(await loadFacts())) {
    keyRefused.value = needsKey.value;
    return;
  }
  announcement.value = 'The key was accepted.';
  if (conversation.value) await runCompaction();
  else if (entries.value.length > 0) await readAll();
}
