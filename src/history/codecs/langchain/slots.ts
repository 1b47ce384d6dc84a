// Finds the items of a LangChain message with all their places: Anthropic's calls are both in the content and in
// `tool_calls`, OpenAI's also in `additional_kwargs`. Content blocks are read in `blocks.ts`, changes are written in
// `edits.ts`.

import { mediaFromUrl } from '../media-facts.ts';
import { type CallForm, type Item, item, type Role, textKind } from '../message.ts';
import { guarded, joined, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { sentText } from '../value-text.ts';
import { argumentFacts, blockText, isTextBlock, readBlock, reasoningBlock, streamOf } from './blocks.ts';
import type { Fields } from './forms.ts';

/** Fields other than content that hold calls, in the order in which their entries are matched with earlier ones. */
export const CALL_LISTS = ['tool_calls', 'invalid_tool_calls', 'raw'] as const;
export type CallList = (typeof CALL_LISTS)[number];

/** A place of an item. `kwargs` is a field of `additional_kwargs`. */
export type ItemField =
  | { readonly in: 'content' | 'fragment' | CallList; readonly at: number }
  | { readonly in: 'text' | 'message' }
  | { readonly in: 'kwargs'; readonly name: string };

/** An item and all its places. */
export interface Slot {
  item: Item;
  readonly places: ItemField[];
}

export function slotsOf(message: unknown, read: Fields | null): readonly Slot[] {
  if (!read?.role)
    return [{ item: item('opaque', { weight: weightOf(message) }), places: [{ in: 'message' }] }];
  if (read.role === 'tool') return resultSlots(read.fields);
  const slots = contentSlots(read.role, read.fields['content']);
  if (read.role !== 'assistant') return slots;
  const all = [...reasoningSlots(read.fields, slots), ...slots];
  for (const list of CALL_LISTS) matchCalls(all, list, callsIn(read.fields, list));
  sealCalls(all, nativeOf(read.fields['additional_kwargs']));
  return [...all, ...hostedSlots(read.fields)];
}

function contentSlots(role: Role, content: unknown): Slot[] {
  if (typeof content === 'string') {
    // A message that only makes calls has an empty text, which is not an item.
    if (content === '' && role === 'assistant') return [];
    return [{ item: item(textKind(role), { text: content }), places: [{ in: 'text' }] }];
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
    const places: ItemField[] = [{ in: 'kwargs', name }];
    if (typeof value === 'string')
      return value === '' ? [] : [{ item: item('reasoning', { text: value }), places }];
    if (Array.isArray(value))
      return value.length === 0 ? [] : [{ item: item('reasoning', { sealed: true }), places }];
    const own = nativeOf(value);
    const found = own ? reasoningBlock({ ...own, type: 'reasoning' }) : null;
    return found ? [{ item: found, places }] : [];
  });
}

/** Items of OpenAI's response that other fields hold too. The rest, from provider-run tools, is only sent from here. */
const ELSEWHERE = /^(?:message|reasoning|function_call|custom_tool_call|computer_call)$/;

function hostedSlots(fields: Native): readonly Slot[] {
  const answer = listOf(nativeOf(fields['response_metadata'])?.['output']);
  const output = answer.length > 0 ? answer : listOf(nativeOf(fields['additional_kwargs'])?.['tool_outputs']);
  const hosted = output.filter((entry) => !ELSEWHERE.test(textIn(entry, 'type') ?? ''));
  if (hosted.length === 0) return [];
  const places: ItemField[] = [{ in: 'kwargs', name: 'tool_outputs' }];
  return [{ item: item('opaque', { weight: weightOf(hosted) }), places }];
}

export function callsIn(fields: Native, list: CallList): readonly unknown[] {
  return listOf(list === 'raw' ? nativeOf(fields['additional_kwargs'])?.['tool_calls'] : fields[list]);
}

/** Calls that `@langchain/openai` marks as custom or computer tool calls, which need their own kind of result. */
function formOf(entry: Native): CallForm | null {
  if (entry['isComputerTool'] === true) return { result: null, caller: null };
  return entry['isCustomTool'] === true ? { result: 'custom', caller: null } : null;
}

function callEntry(entry: unknown): Pick<Item, 'callId' | 'toolName' | 'text' | 'args' | 'form'> | null {
  const fields = nativeOf(entry);
  if (!fields) return null;
  const raw = nativeOf(fields['function']);
  return {
    callId: textIn(fields, 'id'),
    toolName: textIn(raw ?? fields, 'name'),
    form: formOf(fields),
    ...argumentFacts(raw ? raw['arguments'] : fields['args']),
  };
}

/**
 * Matches the entries of `list` with calls of `slots`: the n-th entry of an id with the n-th call of that id; for calls
 * without an id in the content (Gemini), with the next call of the same name. Any other entry is a separate call.
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
  // Reversed, so that `pop` takes the first.
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
    const { callId, form } = known.item;
    known.item = { ...known.item, callId: callId ?? call.callId, form: form ?? call.form, ...parsed };
  });
}

/** Gemini's call signatures are stored next to the calls, by id or by position. */
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

/** A ToolMessage, or a FunctionMessage, which has no id: one result and the media in it. */
function resultSlots(fields: Native): readonly Slot[] {
  const content = fields['content'];
  const list = listOf(content);
  const callId = textIn(fields, 'tool_call_id');
  if (textIn(fields['additional_kwargs'], 'type') === 'computer_call_output')
    return screenSlots(content, callId);
  const text = Array.isArray(content)
    ? joined(list.filter(isTextBlock).map(blockText))
    : sentText(content ?? '');
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
  const isDone = fields['status'] === 'success';
  const result = item('result', { text, callId, toolName, isError, isDone, weight });
  return [{ item: result, places: [{ in: 'message' }] }, ...inner];
}

/** A screenshot or a reference to one: `@langchain/openai` accepts nothing else as the answer to a computer call. */
function screenSlots(content: unknown, callId: string | null): readonly Slot[] {
  const shots =
    typeof content === 'string'
      ? [mediaFromUrl(content, null, 'image')]
      : listOf(content).flatMap((block) => {
          const url = textIn(block, 'image_url') ?? textIn(nativeOf(block)?.['image_url'], 'url');
          return url === null ? [] : [mediaFromUrl(url, null, 'image')];
        });
  const facts = { callId, sealed: true };
  const result = item('result', { ...facts, toolName: 'computer_use' });
  return [
    { item: result, places: [{ in: 'message' }] },
    ...shots.map(
      (media): Slot => ({ item: item('media', { ...facts, media }), places: [{ in: 'message' }] }),
    ),
  ];
}

export function readSlots(message: unknown, read: Fields | null): readonly Slot[] {
  const nothing: readonly Slot[] = [{ item: item('opaque'), places: [{ in: 'message' }] }];
  return guarded(() => slotsOf(message, read), nothing);
}
