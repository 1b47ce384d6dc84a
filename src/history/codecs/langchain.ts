// Messages of LangChain, duck-typed: instances of any version of its classes, what they serialize to, what
// mapChatMessagesToStoredMessages gives, and plain objects. It imports nothing of LangChain.

import type { Codec, ProviderRules } from '../codec.ts';
import { type Edit, type Item, item, type MessageView, type OpenCall, type Role } from '../message.ts';
import {
  argumentFacts,
  blockText,
  isTextBlock,
  readBlock,
  reasoningBlock,
  streamOf,
  textOf,
  withArguments,
  withResultText,
} from './langchain-blocks.ts';
import { type Fields, fieldsOf, withFields } from './langchain-forms.ts';
import {
  type Change,
  changesOf,
  guarded,
  joined,
  jsonValue,
  listOf,
  type Native,
  nativeOf,
  textIn,
  weightOf,
} from './native.ts';

/**
 * What the strictest of LangChain's chat models demand: a list of this format goes to any of them.
 * - Each result is a ToolMessage of its own; `@langchain/anthropic` joins those that follow each other, OpenAI wants them
 *   right after the message with `tool_calls`: `after`.
 * - `startsWith`, `mayBeEmpty`, `reasoningAlone`: Anthropic and Gemini. Ids are made by whichever model called.
 * - `argsBesideSealed`: signed calls of Gemini and thinking of Anthropic stay as they came.
 */
const RULES: ProviderRules = {
  startsWith: 'user',
  endsWithUser: false,
  alternates: false,
  results: 'after',
  resultsTogether: false,
  callId: null,
  mayBeEmpty: false,
  reasoningAlone: false,
  argsBesideSealed: false,
};

/** Fields that hold calls beside the content, in the order their entries are matched with what came before. */
const CALL_LISTS = ['tool_calls', 'invalid_tool_calls', 'raw'] as const;
type CallList = (typeof CALL_LISTS)[number];

/** Where a part of an item lies. `kwargs` is a field of `additional_kwargs`. */
type Place =
  | { readonly in: 'content' | 'fragment' | CallList; readonly at: number }
  | { readonly in: 'text' | 'message' }
  | { readonly in: 'kwargs'; readonly name: string };

/** An item and all places it lies in: Anthropic's calls are in the content and in `tool_calls`. */
interface Slot {
  item: Item;
  readonly places: Place[];
}

function slotsOf(message: unknown, read: Fields | null): readonly Slot[] {
  if (!read?.role)
    return [{ item: item('opaque', { weight: weightOf(message) }), places: [{ in: 'message' }] }];
  if (read.role === 'tool') return resultSlots(read.fields);
  const slots = contentSlots(read.role, read.fields['content']);
  if (read.role !== 'assistant') return slots;
  const all = [...reasoningSlots(read.fields, slots), ...slots];
  for (const list of CALL_LISTS) matchCalls(all, list, callsIn(read.fields, list));
  sealCalls(all, nativeOf(read.fields['additional_kwargs']));
  return all;
}

function contentSlots(role: Role, content: unknown): Slot[] {
  if (typeof content === 'string') {
    const kind = role === 'assistant' ? 'text' : role === 'system' ? 'system' : 'user';
    // A message that only calls has an empty text, which says nothing.
    if (content === '' && role === 'assistant') return [];
    return [{ item: item(kind, { text: content }), places: [{ in: 'text' }] }];
  }
  if (!Array.isArray(content) && content !== null && content !== undefined) {
    return [{ item: item('opaque', { weight: weightOf(content) }), places: [{ in: 'message' }] }];
  }
  const slots: Slot[] = [];
  const streams = new Map<string, Slot>();
  listOf(content).forEach((block, at) => {
    const found = readBlock(role, block);
    if (found.is === 'fragment') {
      const owner = found.stream === '' ? undefined : streams.get(found.stream);
      if (owner) owner.places.push({ in: 'fragment', at });
      else slots.push({ item: item('opaque', { weight: weightOf(block) }), places: [{ in: 'content', at }] });
      return;
    }
    const slot: Slot = { item: found.item, places: [{ in: 'content', at }] };
    slots.push(slot);
    const stream = found.item.kind === 'call' ? streamOf(nativeOf(block) ?? {}) : '';
    if (stream !== '') streams.set(stream, slot);
  });
  return slots;
}

/** Reasoning that chat models keep in `additional_kwargs`: DeepSeek's text, OpenAI's item, OpenRouter's list. */
function reasoningSlots(fields: Native, content: readonly Slot[]): readonly Slot[] {
  const kwargs = nativeOf(fields['additional_kwargs']);
  if (!kwargs || content.some((slot) => slot.item.kind === 'reasoning')) return [];
  return ['reasoning_content', 'reasoning', 'reasoning_details'].flatMap((name): readonly Slot[] => {
    const value = kwargs[name];
    const places: Place[] = [{ in: 'kwargs', name }];
    if (typeof value === 'string')
      return value === '' ? [] : [{ item: item('reasoning', { text: value }), places }];
    if (Array.isArray(value))
      return value.length === 0 ? [] : [{ item: item('reasoning', { sealed: true }), places }];
    const own = nativeOf(value);
    const found = own ? reasoningBlock({ ...own, type: 'reasoning' }) : null;
    return found ? [{ item: found, places }] : [];
  });
}

function callsIn(fields: Native, list: CallList): readonly unknown[] {
  return listOf(list === 'raw' ? nativeOf(fields['additional_kwargs'])?.['tool_calls'] : fields[list]);
}

function callEntry(entry: unknown): Pick<Item, 'callId' | 'toolName' | 'text' | 'args'> | null {
  const fields = nativeOf(entry);
  if (!fields) return null;
  const raw = nativeOf(fields['function']);
  return {
    callId: textIn(fields, 'id'),
    toolName: textIn(raw ?? fields, 'name'),
    ...argumentFacts(raw ? raw['arguments'] : fields['args']),
  };
}

/**
 * Entries of `list` as calls of `slots`: the n-th of an id is the n-th call there is of it; one whose call in the content
 * has no id (Gemini's) is the next there of its name; any other is a call of its own.
 */
function matchCalls(slots: Slot[], list: CallList, entries: readonly unknown[]): void {
  if (entries.length === 0) return;
  const byId = new Map<string, Slot[]>();
  const byName = new Map<string, Slot[]>();
  const into = (map: Map<string, Slot[]>, key: string, slot: Slot): void => {
    const queue = map.get(key);
    if (queue) queue.push(slot);
    else map.set(key, [slot]);
  };
  // Last first, so that taking from the end takes the first.
  for (const slot of slots.toReversed()) {
    const { kind, callId, toolName } = slot.item;
    if (kind !== 'call') continue;
    if (callId !== null) into(byId, callId, slot);
    else into(byName, toolName ?? '', slot);
  }
  entries.forEach((entry, at) => {
    const call = guarded(() => callEntry(entry), null);
    if (!call) return;
    const known =
      (call.callId === null ? undefined : byId.get(call.callId)?.pop()) ??
      byName.get(call.toolName ?? '')?.pop();
    if (!known) {
      slots.push({ item: item('call', call), places: [{ in: list, at }] });
      return;
    }
    known.places.push({ in: list, at });
    const parsed = list === 'tool_calls' && call.args ? { text: call.text, args: call.args } : {};
    known.item = { ...known.item, callId: known.item.callId ?? call.callId, ...parsed };
  });
}

/** Gemini's signatures of calls lie beside them, by id or by place. */
function sealCalls(slots: readonly Slot[], kwargs: Native | null): void {
  const byId = nativeOf(kwargs?.['__gemini_function_call_thought_signatures__']);
  const byPlace = listOf(kwargs?.['signatures']).some(
    (signature) => typeof signature === 'string' && signature !== '',
  );
  if (!byId && !byPlace) return;
  for (const slot of slots) {
    const { kind, callId } = slot.item;
    if (kind !== 'call') continue;
    if (byPlace || (callId !== null && textIn(byId, callId))) slot.item = { ...slot.item, sealed: true };
  }
}

/** A ToolMessage, or a FunctionMessage, which has no id: one result, and the media in it. */
function resultSlots(fields: Native): readonly Slot[] {
  const content = fields['content'];
  const list = listOf(content);
  const callId = textIn(fields, 'tool_call_id');
  const text = Array.isArray(content)
    ? joined(list.filter(isTextBlock).map(blockText))
    : textOf(content ?? '');
  let weight = 0;
  const inner = list.flatMap((block, at): readonly Slot[] => {
    if (isTextBlock(block)) return [];
    const found = readBlock('tool', block);
    if (found.is === 'item' && found.item.kind === 'media') {
      return [{ item: { ...found.item, callId }, places: [{ in: 'content', at }] }];
    }
    weight += weightOf(block);
    return [];
  });
  const toolName = textIn(fields, 'name');
  const isError = fields['status'] === 'error';
  const result = item('result', { text, callId, toolName, isError, weight });
  return [{ item: result, places: [{ in: 'message' }] }, ...inner];
}

function readSlots(message: unknown, read: Fields | null): readonly Slot[] {
  const nothing: readonly Slot[] = [{ item: item('opaque'), places: [{ in: 'message' }] }];
  return guarded(() => slotsOf(message, read), nothing);
}

function view(message: unknown): MessageView {
  const read = fieldsOf(message);
  return { role: read?.role ?? 'user', items: readSlots(message, read).map((slot) => slot.item) };
}

function edit(message: unknown, edits: readonly Edit[]): unknown {
  return guarded(() => edited(message, edits), message);
}

function edited(message: unknown, edits: readonly Edit[]): unknown {
  const read = edits.length === 0 ? null : fieldsOf(message);
  if (edits.length === 0) return message;
  const slots = readSlots(message, read);
  const changes = changesOf(
    slots.map((slot) => slot.item),
    edits,
  );
  const appended = read?.role === 'user' ? changes.appended : [];
  if (changes.byItem.size === 0 && appended.length === 0) return message;
  const touched = [...changes.byItem].flatMap(([index, change]) => {
    const slot = slots[index];
    return slot ? [{ slot, change }] : [];
  });
  if (
    touched.some(({ slot, change }) => change.removed && slot.places.some((place) => place.in === 'message'))
  ) {
    return null;
  }
  if (!read) return message;
  if (read.role === 'tool') return withFields(message, read, { content: editedResult(read.fields, touched) });
  return editedTurn(message, read, touched, appended);
}

interface Touched {
  readonly slot: Slot;
  readonly change: Change;
}

function textBlock(text: string): Native {
  return { type: 'text', text };
}

/** The block with another text, of the same shape; null where that text is empty, for many providers refuse those. */
function withText(block: unknown, text: string): unknown {
  if (text === '') return null;
  return typeof block === 'string' ? text : { ...nativeOf(block), text };
}

/** The content of a result: its text as one, in the place of the first; a text alone is no list. */
function editedResult(fields: Native, touched: readonly Touched[]): unknown {
  const content = fields['content'];
  const text = touched.find(({ slot }) => slot.item.kind === 'result')?.change.text ?? null;
  if (!Array.isArray(content)) return text ?? content;
  const byBlock = changesByBlock(touched);
  let waiting = text;
  const rest = listOf(content).flatMap((block, at): unknown[] => {
    if (isTextBlock(block) && text !== null) {
      const said = waiting === null ? null : withText(block, waiting);
      waiting = null;
      return said === null ? [] : [said];
    }
    const change = byBlock.get(at);
    if (change?.removed || change?.media === '') return [];
    return [change?.media ? textBlock(change.media) : block];
  });
  const all = waiting === null || waiting === '' ? rest : [textBlock(waiting), ...rest];
  const [only] = all;
  if (all.length === 0) return '';
  return text !== null && all.length === 1 && isTextBlock(only) ? blockText(only) : all;
}

function changesByBlock(touched: readonly Touched[]): ReadonlyMap<number, Change> {
  return new Map(
    touched.flatMap(({ slot, change }) =>
      slot.places.flatMap((place) => (place.in === 'content' ? [[place.at, change] as const] : [])),
    ),
  );
}

/** A message of the user, the system or the assistant with its changes made; null when nothing of it may stand. */
function editedTurn(
  message: unknown,
  read: Fields,
  touched: readonly Touched[],
  appended: readonly string[],
): unknown {
  const { fields } = read;
  const content = editedContent(fields['content'], touched, appended);
  const patch: Record<string, unknown> = { content };
  if (read.role === 'assistant' && touched.length > 0) Object.assign(patch, editedCalls(fields, touched));
  if (!stands(read, { ...ownFields(fields), ...patch })) return null;
  // LangChain sends a list without tool_use blocks in place of `tool_calls`; an empty text leaves them be.
  const standard = nativeOf(fields['response_metadata'])?.['output_version'] === 'v1';
  if (Array.isArray(content) && content.length === 0 && !standard) patch['content'] = '';
  return withFields(message, read, patch);
}

/** The fields `stands` looks at; a spread of an instance would miss none, but read every getter. */
function ownFields(fields: Native): Native {
  const names = ['content', 'tool_calls', 'invalid_tool_calls', 'additional_kwargs'];
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

function stands(read: Fields, fields: Native): boolean {
  return slotsOf(null, { ...read, fields }).some(({ item: { kind, text } }) => {
    if (kind === 'reasoning') return false;
    return kind === 'text' || kind === 'user' || kind === 'system' ? text !== '' : true;
  });
}

function editedContent(content: unknown, touched: readonly Touched[], appended: readonly string[]): unknown {
  if (!Array.isArray(content)) {
    const change = touched.find(({ slot }) => slot.places.some((place) => place.in === 'text'))?.change;
    if (!change && appended.length === 0) return content;
    const text = change?.removed ? '' : (change?.text ?? (typeof content === 'string' ? content : ''));
    if (appended.length === 0) return text;
    return [...(text === '' ? [] : [textBlock(text)]), ...appended.map(textBlock)];
  }
  const byBlock = changesByBlock(touched);
  const dropped = new Set(
    touched.flatMap(({ slot, change }) =>
      change.removed || change.args
        ? slot.places.flatMap((place) => (place.in === 'fragment' ? [place.at] : []))
        : [],
    ),
  );
  const rest = listOf(content).flatMap((block, at): unknown[] => {
    const change = byBlock.get(at);
    if (dropped.has(at) || change?.removed || change?.media === '') return [];
    const fields = nativeOf(block);
    if (change?.args && fields) {
      // Streams leave '' where the whole arguments belong.
      const whole = fields['input'] === '' ? { ...fields, input: {} } : fields;
      return [withArguments(whole, change.args)];
    }
    if (change?.media) return [textBlock(change.media)];
    if (change?.text === undefined || change.text === null) return [block];
    if (fields && !isTextBlock(block)) return [withResultText(fields, change.text)];
    const said = withText(block, change.text);
    return said === null ? [] : [said];
  });
  return [...rest, ...appended.map(textBlock)];
}

/** Fields beside the content that hold calls, or what OpenAI's own answer held, where a change touches them. */
function editedCalls(fields: Native, touched: readonly Touched[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  const kwargs = nativeOf(fields['additional_kwargs']);
  const kwargsPatch: Record<string, unknown> = {};
  for (const list of CALL_LISTS) {
    const byEntry = new Map(
      touched.flatMap(({ slot, change }) =>
        slot.places.flatMap((place) => (place.in === list ? [[place.at, change] as const] : [])),
      ),
    );
    if (byEntry.size === 0) continue;
    const entries = callsIn(fields, list).flatMap((entry, at) => editedEntry(entry, byEntry.get(at)));
    if (list === 'raw') kwargsPatch['tool_calls'] = entries;
    else patch[list] = entries;
  }
  for (const { slot, change } of touched) {
    for (const place of slot.places) {
      if (place.in === 'kwargs' && change.removed) kwargsPatch[place.name] = undefined;
    }
  }
  if (kwargs && Object.keys(kwargsPatch).length > 0) patch['additional_kwargs'] = merged(kwargs, kwargsPatch);
  const chunks = editedChunks(fields['tool_call_chunks'], touched);
  if (chunks) patch['tool_call_chunks'] = chunks;
  const metadata = editedMetadata(nativeOf(fields['response_metadata']), touched);
  if (metadata) patch['response_metadata'] = metadata;
  return patch;
}

/** `fields` with `patch` over them; what is undefined there goes. */
function merged(fields: Native, patch: Native): Native {
  return Object.fromEntries(
    Object.entries({ ...fields, ...patch }).filter(([, value]) => value !== undefined),
  );
}

function editedEntry(entry: unknown, change: Change | undefined): readonly unknown[] {
  const fields = nativeOf(entry);
  if (!change || !fields) return [entry];
  if (change.removed) return [];
  if (!change.args) return [entry];
  const raw = nativeOf(fields['function']);
  if (raw) return [{ ...fields, function: { ...raw, arguments: JSON.stringify(change.args) } }];
  return [withArguments(fields, change.args)];
}

/** Changes of calls by id: later fields name a call by nothing else. */
function changesByCall(touched: readonly Touched[]): ReadonlyMap<string, Change> {
  return new Map(
    touched.flatMap(({ slot: { item: target }, change }) =>
      target.kind === 'call' && target.callId !== null ? [[target.callId, change] as const] : [],
    ),
  );
}

/** Pieces of calls a streamed message is made of again when it is serialized or joined; null where none is touched. */
function editedChunks(chunks: unknown, touched: readonly Touched[]): readonly unknown[] | null {
  const byCall = changesByCall(touched);
  if (byCall.size === 0 || listOf(chunks).length === 0) return null;
  const streams = new Set<string>();
  return listOf(chunks).flatMap((chunk): readonly unknown[] => {
    const fields = nativeOf(chunk) ?? {};
    const id = textIn(fields, 'id') ?? '';
    const change = byCall.get(id);
    const stream = streamOf(fields);
    if (!change) return id === '' && streams.has(stream) ? [] : [chunk];
    if (!change.removed && !change.args) return [chunk];
    if (stream !== '') streams.add(stream);
    return change.removed ? [] : [{ ...fields, args: JSON.stringify(change.args) }];
  });
}

/**
 * `response_metadata.output` is OpenAI's own answer, which `@langchain/openai` sends in place of everything else: calls are
 * changed in it too; any other change leaves it out, so that the message is made of its fields. Null where it stays.
 */
function editedMetadata(metadata: Native | null, touched: readonly Touched[]): Native | null {
  const output = listOf(metadata?.['output']);
  if (!metadata || output.length === 0) return null;
  if (touched.some(({ slot, change }) => slot.item.kind !== 'call' || change.removed)) {
    return merged(metadata, { output: undefined });
  }
  const byCall = changesByCall(touched);
  const items = output.map((entry) => {
    const fields = nativeOf(entry);
    const args = byCall.get(textIn(fields, 'call_id') ?? '')?.args;
    return fields && args && fields['type'] === 'function_call'
      ? { ...fields, arguments: JSON.stringify(args) }
      : entry;
  });
  return { ...metadata, output: items };
}

/** Fields that go to a provider; ids do not, but for those OpenAI gave. */
const SENT = [
  'content',
  'role',
  'name',
  'tool_call_id',
  'status',
  'tool_calls',
  'invalid_tool_calls',
  'additional_kwargs',
  'response_metadata',
] as const;

/** As mapChatMessagesToStoredMessages has it, whatever the form, so that one message has one encoding. */
function encode(message: unknown): unknown {
  const read = fieldsOf(message);
  if (!read) return jsonValue(message);
  const { fields } = read;
  const id = guarded(() => textIn(fields, 'id'), null);
  const entries = SENT.flatMap((name) => {
    if (name === 'role' && read.type !== 'generic') return [];
    const value = jsonValue(guarded(() => fields[name], null));
    return isNothing(value) && name !== 'content' ? [] : [[name, value] as const];
  });
  const sentId = read.role === null || (id !== null && /^(?:msg|fc)_/.test(id)) ? [['id', id] as const] : [];
  return { type: read.type, data: Object.fromEntries([...sentId, ...entries]) };
}

function isNothing(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** 2: only this format has it; 1: this format may have it; 0: it has not. */
function likeness(message: unknown): 0 | 1 | 2 {
  const read = fieldsOf(message);
  const native = nativeOf(message);
  if (!read || !native) return 0;
  if (read.form !== 'plain') return 2;
  if (native['type'] !== undefined) return 2;
  const calls = listOf(native['tool_calls']);
  if (calls.some((call) => nativeOf(nativeOf(call)?.['function']))) return 0;
  if (calls.some((call) => nativeOf(nativeOf(call)?.['args']))) return 2;
  const content = native['content'];
  const plain = typeof content === 'string' || (Array.isArray(content) && content.every(isTextBlock));
  if (!plain) return 0;
  return /^(?:human|ai|generic)$/.test(textIn(native, 'role') ?? '') ? 2 : 1;
}

/**
 * Messages of LangChain. It knows no classes, so notices and answers are plain objects with a `role`, which LangChain
 * coerces to messages wherever it takes messages; `createLangChainCodec` makes instances.
 */
export const langChain: Codec = {
  name: 'langchain',
  rules: RULES,
  detect: (messages) =>
    guarded(() => {
      const found = messages.map(likeness);
      return found.includes(2) && !found.includes(0);
    }, false),
  view,
  edit,
  notice: (text, role) => ({ role, content: text }),
  answer: (calls, text) => calls.map((call) => ({ role: 'tool', ...answerFields(call, text) })),
  encode,
};

function answerFields({ callId, toolName }: OpenCall, text: string): AnswerFields {
  return { content: text, tool_call_id: callId, name: toolName, status: 'error' };
}

/** What a ToolMessage is made of. */
export interface AnswerFields {
  readonly content: string;
  readonly tool_call_id: string;
  readonly name: string;
  readonly status: 'error';
}

/** The classes of `@langchain/core/messages` that new messages are made of. */
export interface LangChainClasses {
  readonly HumanMessage: new (fields: { content: string }) => unknown;
  readonly AIMessage: new (fields: { content: string }) => unknown;
  readonly ToolMessage: new (fields: AnswerFields) => unknown;
}

/**
 * As `langChain`, but notices and answers are instances of `classes`, for where LangChain takes nothing else: a model called
 * with messages in `wrapModelCall`. Pass what `import('@langchain/core/messages')` gives.
 */
export function createLangChainCodec(classes: LangChainClasses): Codec {
  const { HumanMessage, AIMessage, ToolMessage } = classes;
  return {
    ...langChain,
    // A message of its own for each: the constructors keep, and change, the object they are given.
    notice: (text, role) =>
      role === 'user' ? new HumanMessage({ content: text }) : new AIMessage({ content: text }),
    answer: (calls, text) => calls.map((call) => new ToolMessage(answerFields(call, text))),
  };
}
