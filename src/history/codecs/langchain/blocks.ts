// Content blocks of LangChain messages: LangChain's own, and provider blocks it passes through. Reads one block at a
// time; the codec decides which block and which entry of `tool_calls` are the same call.

import { mediaFrom, mediaInside } from '../media-facts.ts';
import { type Item, item, type MediaFacts, type Role, textKind } from '../message.ts';
import {
  argumentsOf,
  bytesOf,
  guarded,
  holdsAny,
  joined,
  listOf,
  type Native,
  nativeOf,
  textIn,
  weightOf,
} from '../native.ts';
import { sentText } from '../value-text.ts';

/** Reads `block` in a message of `role`; not a fragment. */
export function readBlock(role: Role, block: unknown): Item {
  return guarded(() => knownBlock(role, block), null) ?? opaqueBlock(block);
}

function knownBlock(role: Role, block: unknown): Item | null {
  if (isTextBlock(block))
    return item(textKind(role), { text: blockText(block), sealed: isSigned(nativeOf(block) ?? {}) });
  const fields = nativeOf(block);
  return fields && (reasoningBlock(fields) ?? callBlock(fields) ?? resultBlock(fields) ?? mediaBlock(fields));
}

/** Whether `block` is a piece of the arguments of the call with the same `index`, which streaming leaves next to it. */
export function isFragment(block: unknown): boolean {
  return guarded(() => /^(?:input_json_delta|tool_call_chunk)$/.test(textIn(block, 'type') ?? ''), false);
}

/** A block's index in its stream; empty if it has none. */
export function streamOf(block: Native): string {
  const index = block['index'];
  return typeof index === 'number' || typeof index === 'string' ? String(index) : '';
}

const TEXTS = /^(?:text|text_delta|input_text|output_text|text-plain)$/;

/** Whether `block` is only a text. */
export function isTextBlock(block: unknown): boolean {
  if (typeof block === 'string') return true;
  return TEXTS.test(textIn(block, 'type') ?? '') && textIn(block, 'text') !== null;
}

/** The text of a text block. */
export function blockText(block: unknown): string {
  return typeof block === 'string' ? block : (textIn(block, 'text') ?? '');
}

/** Field names for provider data that must be returned unchanged. */
const SEAL = /signature|encrypted|redacted/i;

/** Whether the block, or the non-standard data LangChain keeps in it, is signed or encrypted. */
function isSigned(block: Native): boolean {
  return [block, nativeOf(block['extras'])].some((fields) => fields !== null && holdsAny(fields, SEAL));
}

/** Reads reasoning blocks of Anthropic, of LangChain and OpenAI, and of Bedrock's Converse API. */
export function reasoningBlock(block: Native): Item | null {
  switch (block['type']) {
    case 'thinking':
      return item('reasoning', { text: textIn(block, 'thinking') ?? '', sealed: isSigned(block) });
    case 'redacted_thinking':
      return item('reasoning', { sealed: true });
    case 'reasoning': {
      const text =
        textIn(block, 'reasoning') ?? joined(listOf(block['summary']).map((entry) => textIn(entry, 'text')));
      // OpenAI accepts stored reasoning by its id.
      const stored = textIn(block, 'id')?.startsWith('rs_') ?? false;
      return item('reasoning', { text, sealed: stored || isSigned(block) });
    }
    case 'reasoning_content': {
      const reasoningText = nativeOf(block['reasoningText']);
      const sealed = isSigned(block) || (reasoningText !== null && isSigned(reasoningText));
      return item('reasoning', { text: textIn(reasoningText, 'text') ?? '', sealed });
    }
    default:
      return null;
  }
}

/** Call blocks of any provider, each with the field of its arguments; `server` and `mcp` ones the provider ran. */
const CALLS: ReadonlyMap<string, string> = new Map([
  ['tool_use', 'input'],
  ['server_tool_use', 'input'],
  ['mcp_tool_use', 'input'],
  ['tool_call', 'args'],
  ['invalid_tool_call', 'args'],
  ['server_tool_call', 'args'],
  ['function_call', 'arguments'],
  ['functionCall', 'args'],
]);

function callBlock(block: Native): Item | null {
  const type = textIn(block, 'type') ?? '';
  const field = CALLS.get(type);
  if (field === undefined) return null;
  const call = type === 'functionCall' ? nativeOf(block['functionCall']) : block;
  const id = textIn(call, 'id');
  const callId = type === 'function_call' ? (textIn(block, 'call_id') ?? id) : id;
  const own = /^(?:server|mcp)_/.test(type);
  return item('call', {
    ...argumentFacts(call?.[field]),
    callId,
    toolName: textIn(call, 'name'),
    sealed: isSigned(block),
    providerExecuted: own,
    links: own && callId !== null ? [`server:${callId}`] : [],
  });
}

/** Arguments of a call, given as an object or as JSON. */
export function argumentFacts(value: unknown): Pick<Item, 'text' | 'args'> {
  return { text: sentText(value), args: argumentsOf(value) };
}

/** The call `block` with other arguments, as JSON if they were text. */
export function withArguments(block: Native, args: Native): Native {
  const call = nativeOf(block['functionCall']);
  if (call) return { ...block, functionCall: { ...call, args } };
  const name = ['input', 'args', 'arguments'].find((field) => field in block) ?? 'args';
  return { ...block, [name]: typeof block[name] === 'string' ? JSON.stringify(args) : args };
}

/** A result inside content: in a human message, as in Anthropic's format, or of a provider-run tool, which is opaque. */
function resultBlock(block: Native): Item | null {
  const type = textIn(block, 'type') ?? '';
  const callId = textIn(block, 'toolCallId') ?? textIn(block, 'tool_use_id');
  if (type !== 'tool_result') {
    if (type !== 'server_tool_call_result' && !type.endsWith('_tool_result')) return null;
    const { media, isSealed } = mediaInside(block);
    const links = callId === null ? [] : [`server:${callId}`];
    return item('opaque', { links, sealed: isSealed, media: media[0] ?? null, weight: weightOf(block) });
  }
  const { content } = block;
  const list = listOf(content);
  const others = list.filter((entry) => !isTextBlock(entry));
  return item('result', {
    text: Array.isArray(content) ? joined(list.filter(isTextBlock).map(blockText)) : sentText(content),
    callId,
    isError: block['is_error'] === true || block['status'] === 'error',
    isDone: block['is_error'] === false || block['status'] === 'success',
    weight: others.length > 0 ? weightOf(others) : 0,
  });
}

/** The `tool_result` block with the text `text`; non-text entries stay. */
export function withResultText(block: Native, text: string): Native {
  const rest = listOf(block['content']).filter((entry) => !isTextBlock(entry));
  const said = text === '' ? [] : [{ type: 'text', text }];
  return { ...block, content: rest.length > 0 ? [...said, ...rest] : text };
}

const MEDIA: ReadonlyMap<unknown, MediaFacts['type']> = new Map<unknown, MediaFacts['type']>([
  ['image', 'image'],
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['audio', 'audio'],
  ['input_audio', 'audio'],
  ['video', 'video'],
  ['file', 'other'],
  ['input_file', 'other'],
  ['document', 'document'],
  ['text-plain', 'document'],
  ['media', 'other'],
]);

/** An image, sound or document in any block form. */
function mediaBlock(block: Native): Item | null {
  const type = MEDIA.get(block['type']);
  return type ? item('media', { media: mediaOf(block, type), sealed: isSigned(block) }) : null;
}

/** Fields in which providers nest what LangChain has at the top level. */
const NESTED: readonly string[] = ['source', 'input_audio', 'image_url', 'file', 'image', 'inlineData'];

function mediaOf(block: Native, type: MediaFacts['type']): MediaFacts {
  const inner = NESTED.map((name) => nativeOf(block[name])).find((fields) => fields !== null);
  const found = (...names: readonly string[]): readonly unknown[] =>
    [block, inner ?? {}].flatMap((fields) => names.map((name) => fields[name]));
  const text = (...names: readonly string[]): string | null =>
    found(...names).find((value) => typeof value === 'string') ?? null;
  const mimeType = text('mimeType', 'mime_type', 'media_type');
  const bytes = found('data', 'bytes').find((value) => bytesOf(value) !== null);
  const where = bytes ?? text('data', 'file_data') ?? text('url', 'image_url', 'file_url', 'fileUri');
  return mediaFrom(where, mimeType, type);
}

function opaqueBlock(block: unknown): Item {
  const plain = item('opaque', { weight: weightOf(block) });
  return guarded(() => {
    const fields = nativeOf(block);
    // LangChain wraps blocks it has no type for as non-standard, such as Anthropic's redacted thinking.
    const wrapped = nativeOf(fields?.['value']);
    const value = wrapped ?? fields;
    const boundary = textIn(value, 'type') === 'compaction';
    return (
      (wrapped && reasoningBlock(wrapped)) ?? {
        ...plain,
        boundary,
        sealed: value !== null && isSigned(value),
      }
    );
  }, plain);
}
