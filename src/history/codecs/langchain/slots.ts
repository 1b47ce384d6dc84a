// Finds the parts of a LangChain message with all their places: Anthropic's calls are both in the content and in
// `tool_calls`, OpenAI's also in `additional_kwargs`. Content blocks are read in `blocks.ts`.

import { addTo } from '../../grouped.ts';
import { type Entries, resultEdited, resultItems } from '../content.ts';
import { GONE, opaqueSlot, type Path, type Place, type Slot, withAt, writing } from '../lens.ts';
import { mediaFrom } from '../media-facts.ts';
import { type CallForm, type Item, item, type Role, textKind } from '../message.ts';
import { guarded, listOf, type Native, nativeOf, textIn, weightOf } from '../native.ts';
import { sentText } from '../value-text.ts';
import {
  argumentFacts,
  blockText,
  isFragment,
  isTextBlock,
  readBlock,
  reasoningBlock,
  streamOf,
  withArguments,
  withResultText,
} from './blocks.ts';
import type { Fields } from './forms.ts';

/** A part with one item, whose places and facts are still being found. */
interface Found {
  item: Item;
  readonly places: Place[];
}

/** A piece of arguments goes with them. */
const withoutPiece: NonNullable<Place['write']> = (piece, change) => (change(0)?.args ? GONE : piece);

export const textBlock = (text: string): Native => ({ type: 'text', text });

export function slotsOf(message: unknown, { role, fields }: Fields): readonly Slot[] {
  if (!role) return [opaqueSlot([], message)];
  if (role === 'tool') return [resultSlot(fields)];
  const { content } = fields;
  const said = contentParts(role, content);
  if (!said) return [opaqueSlot([], content)];
  const all = role === 'assistant' ? [...reasoningParts(fields, said), ...said] : said;
  if (role === 'assistant') {
    const kwargs = nativeOf(fields['additional_kwargs']);
    matchCalls(all, ['tool_calls'], fields['tool_calls']);
    matchCalls(all, ['invalid_tool_calls'], fields['invalid_tool_calls']);
    matchCalls(all, ['additional_kwargs', 'tool_calls'], kwargs?.['tool_calls']);
    sealCalls(all, kwargs);
    placeChunks(all, listOf(fields['tool_call_chunks']));
    const hosted = hostedPart(fields);
    if (hosted) all.push(hosted);
    placeOutput(all, listOf(nativeOf(fields['response_metadata'])?.['output']));
  }
  return all.map((part) => ({ items: [part.item], places: part.places }));
}

function contentParts(role: Role, content: unknown): Found[] | null {
  if (typeof content === 'string') {
    // A message that only makes calls has an empty text, which is not an item.
    if (content === '' && role === 'assistant') return [];
    return [{ item: item(textKind(role), { text: content }), places: [textPlace(['content'])] }];
  }
  if (!Array.isArray(content)) return (content ?? null) === null ? [] : null;
  const parts: Found[] = [];
  const streams = new Map<string, Found>();
  content.forEach((block: unknown, index) => {
    const at = ['content', index];
    const stream = guarded(() => streamOf(nativeOf(block) ?? {}), '');
    if (isFragment(block)) {
      const owner = streams.get(stream);
      if (owner) owner.places.push({ at, write: withoutPiece });
      else parts.push({ item: item('opaque', { weight: weightOf(block) }), places: [{ at }] });
      return;
    }
    const found = readBlock(role, block);
    const part: Found = { item: found, places: [blockPlace(at, found)] };
    parts.push(part);
    if (found.kind === 'call' && stream !== '') streams.set(stream, part);
  });
  return parts;
}

function textPlace(at: Path): Place {
  return { at, write: writing({ text: [] }) };
}

function blockPlace(at: Path, { kind }: Item): Place {
  if (kind === 'call') return argsPlace(at);
  const write: Place['write'] = (block, change) => {
    const { text = null, media = null } = change(0) ?? {};
    if (media !== null) return textBlock(media);
    if (text === null) return block;
    if (kind === 'result') return withResultText(nativeOf(block) ?? {}, text);
    return typeof block === 'string' ? text : withAt(block, ['text'], text);
  };
  return { at, write };
}

function argsPlace(at: Path): Place {
  const write: Place['write'] = (entry, change) => {
    const fields = nativeOf(entry);
    const args = change(0)?.args;
    if (!fields || !args) return entry;
    // Streaming leaves '' in place of the complete arguments.
    return withArguments(fields['input'] === '' ? { ...fields, input: {} } : fields, args);
  };
  return { at, write };
}

/** Reasoning that chat models keep in `additional_kwargs`: DeepSeek's text, OpenAI's item, OpenRouter's list. */
function reasoningParts(fields: Native, content: readonly Found[]): readonly Found[] {
  const kwargs = nativeOf(fields['additional_kwargs']);
  if (!kwargs || content.some((part) => part.item.kind === 'reasoning')) return [];
  return ['reasoning_content', 'reasoning', 'reasoning_details'].flatMap((name): readonly Found[] => {
    const value = kwargs[name];
    const places: Place[] = [{ at: ['additional_kwargs', name] }];
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

function hostedPart(fields: Native): Found | null {
  const answer = listOf(nativeOf(fields['response_metadata'])?.['output']);
  const output = answer.length > 0 ? answer : listOf(nativeOf(fields['additional_kwargs'])?.['tool_outputs']);
  const hosted = output.filter((entry) => !ELSEWHERE.test(textIn(entry, 'type') ?? ''));
  if (hosted.length === 0) return null;
  const places = [{ at: ['additional_kwargs', 'tool_outputs'] }];
  return { item: item('opaque', { weight: weightOf(hosted) }), places };
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
 * Matches the entries of a list of calls with `parts`: the n-th entry of an id with the n-th call of that id; for calls
 * without an id in the content (Gemini), with the next call of the same name. Any other entry is a separate call.
 */
function matchCalls(parts: Found[], list: Path, value: unknown): void {
  const entries = listOf(value);
  if (entries.length === 0) return;
  const byId = new Map<string, Found[]>();
  const byName = new Map<string, Found[]>();
  // Reversed, so that `pop` takes the first.
  for (const part of parts.toReversed()) {
    const { kind, callId, toolName } = part.item;
    if (kind !== 'call') continue;
    addTo(callId === null ? byName : byId, callId ?? toolName ?? '', part);
  }
  entries.forEach((entry, index) => {
    const call = guarded(() => callEntry(entry), null);
    if (!call) return;
    const at = [...list, index];
    const isRaw = nativeOf(nativeOf(entry)?.['function']) !== null;
    const place = isRaw ? { at, write: writing({ args: ['function', 'arguments'] }) } : argsPlace(at);
    const known =
      (call.callId === null ? undefined : byId.get(call.callId)?.pop()) ??
      byName.get(call.toolName ?? '')?.pop();
    if (!known) {
      parts.push({ item: item('call', call), places: [place] });
      return;
    }
    known.places.push(place);
    const parsed = list[0] === 'tool_calls' && call.args ? { text: call.text, args: call.args } : {};
    const { callId, form } = known.item;
    known.item = { ...known.item, callId: callId ?? call.callId, form: form ?? call.form, ...parsed };
  });
}

/** Gemini's call signatures are stored next to the calls, by id or by position. */
function sealCalls(parts: readonly Found[], kwargs: Native | null): void {
  const byId = nativeOf(kwargs?.['__gemini_function_call_thought_signatures__']);
  const byPlace = listOf(kwargs?.['signatures']).some(
    (signature) => typeof signature === 'string' && signature !== '',
  );
  if (!byId && !byPlace) return;
  for (const part of parts) {
    const { kind, callId } = part.item;
    if (kind === 'call' && (byPlace || (callId !== null && textIn(byId, callId))))
      part.item = { ...part.item, sealed: true };
  }
}

/** Calls by their id, the only key by which the fields below identify a call. */
function callsById(parts: readonly Found[]): ReadonlyMap<string, Found> {
  return new Map(
    parts.flatMap((part) =>
      part.item.kind === 'call' && part.item.callId !== null ? [[part.item.callId, part] as const] : [],
    ),
  );
}

/** Call pieces from which a streamed message is rebuilt when serialized or joined. */
function placeChunks(parts: readonly Found[], chunks: readonly unknown[]): void {
  const byId = callsById(parts);
  const streams = new Map<string, Found>();
  chunks.forEach((chunk, index) => {
    const fields = nativeOf(chunk) ?? {};
    const id = textIn(fields, 'id') ?? '';
    const stream = streamOf(fields);
    const at = ['tool_call_chunks', index];
    const own = byId.get(id);
    if (own && stream !== '') streams.set(stream, own);
    // The first piece gets all arguments, the others go.
    if (own) own.places.push({ at, write: writing({ args: ['args'] }) });
    else if (id === '') streams.get(stream)?.places.push({ at, write: withoutPiece });
  });
}

/**
 * `response_metadata.output` is OpenAI's original response, which `@langchain/openai` sends instead of the other fields.
 * New arguments of calls are written to it; any other change removes it, so that the message is built from its fields.
 */
function placeOutput(parts: readonly Found[], output: readonly unknown[]): void {
  if (output.length === 0) return;
  const at: Path = ['response_metadata', 'output'];
  for (const { item: own, places } of parts)
    places.push({ at, write: (list) => (own.kind === 'call' ? list : GONE) });
  const byId = callsById(parts);
  output.forEach((entry, index) => {
    const args = textIn(entry, 'type') === 'function_call' ? 'arguments' : 'input';
    const write: Place['write'] = (call, change) => {
      const given = change(0)?.args;
      if (!given || !/^(?:function|custom_tool)_call$/.test(textIn(call, 'type') ?? '')) return call;
      return withAt(call, [args], args === 'input' ? (textIn(given, 'input') ?? '') : JSON.stringify(given));
    };
    byId.get(textIn(entry, 'call_id') ?? '')?.places.push({ at: [...at, index], write });
  });
}

/** Entries of a result's content. */
const ENTRIES: Entries = {
  read: (entry) => {
    if (isTextBlock(entry)) return { text: blockText(entry) };
    const { media } = readBlock('tool', entry);
    return media && { media };
  },
  part: (text, [from]) =>
    typeof from === 'string' ? text : isTextBlock(from) ? withAt(from, ['text'], text) : textBlock(text),
  none: '',
};

/** A ToolMessage, or a FunctionMessage, which has no id: one result and the media in it. */
function resultSlot(fields: Native): Slot {
  const { content, status } = fields;
  const callId = textIn(fields, 'tool_call_id');
  if (textIn(fields['additional_kwargs'], 'type') === 'computer_call_output')
    return screenSlot(content, callId);
  const facts = {
    callId,
    toolName: textIn(fields, 'name'),
    isError: status === 'error',
    isDone: status === 'success',
    ...(Array.isArray(content) ? {} : { text: sentText(content ?? '') }),
  };
  const write: Place['write'] = (_, change) => {
    const next = resultEdited(content, change, ENTRIES);
    const [only, ...more] = listOf(next);
    const isText = (change(0)?.text ?? null) !== null && more.length === 0 && isTextBlock(only);
    return isText ? blockText(only) : next;
  };
  return { items: resultItems(facts, content, ENTRIES), places: [{ at: ['content'], write }] };
}

/** A screenshot or a reference to one: `@langchain/openai` accepts nothing else as the answer to a computer call. */
function screenSlot(content: unknown, callId: string | null): Slot {
  const blocks = typeof content === 'string' ? [content] : listOf(content);
  const shots = blocks.flatMap((block) => {
    const url =
      typeof block === 'string'
        ? block
        : (textIn(block, 'image_url') ?? textIn(nativeOf(block)?.['image_url'], 'url'));
    return url === null ? [] : [mediaFrom(url, null, 'image')];
  });
  const facts = { callId, sealed: true };
  const result = item('result', { ...facts, toolName: 'computer_use' });
  return {
    items: [result, ...shots.map((media) => item('media', { ...facts, media }))],
    places: [{ at: [] }],
  };
}
