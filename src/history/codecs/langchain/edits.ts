// Applies edits to a LangChain message in every place that holds an edited item. The items and their places are found
// elsewhere.

import type { Edit } from '../message.ts';
import { type Change, changesOf, listOf, type Native, nativeOf, textIn } from '../native.ts';
import { blockText, isTextBlock, streamOf, withArguments, withResultText } from './blocks.ts';
import { type Fields, fieldsOf, withFields } from './forms.ts';
import { CALL_LISTS, callsIn, readSlots, type Slot, slotsOf } from './slots.ts';

/** Returns null if nothing valid is left. */
export function edited(message: unknown, edits: readonly Edit[]): unknown {
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

/** The block with another text, in the same form; null for an empty text, which many providers reject. */
function withText(block: unknown, text: string): unknown {
  if (text === '') return null;
  return typeof block === 'string' ? text : { ...nativeOf(block), text };
}

/** The content of a result: one text in the place of the first; a single text is not wrapped in a list. */
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

/** A user, system or assistant message with its changes; null if nothing valid is left. */
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
  // LangChain sends a list without tool_use blocks instead of `tool_calls`; with an empty text it sends `tool_calls`.
  const standard = nativeOf(fields['response_metadata'])?.['output_version'] === 'v1';
  if (Array.isArray(content) && content.length === 0 && !standard) patch['content'] = '';
  return withFields(message, read, patch);
}

/** The fields that `stands` checks. Spreading an instance would also run every getter. */
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
      // Streaming leaves '' in place of the complete arguments.
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

/** Fields other than content that hold calls or OpenAI's original response, if a change affects them. */
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

/** `fields` with `patch` applied; undefined values remove the field. */
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

/** Changes of calls by id, the only key by which later fields identify a call. */
function changesByCall(touched: readonly Touched[]): ReadonlyMap<string, Change> {
  return new Map(
    touched.flatMap(({ slot: { item: target }, change }) =>
      target.kind === 'call' && target.callId !== null ? [[target.callId, change] as const] : [],
    ),
  );
}

/** Call pieces from which a streamed message is rebuilt when serialized or joined; null if none is affected. */
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
 * `response_metadata.output` is OpenAI's original response, which `@langchain/openai` sends instead of the other
 * fields. Changes to calls are applied to it; any other change removes it, so that the message is built from its
 * fields. Null if it stays unchanged.
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
    if (!fields || !args) return entry;
    if (fields['type'] === 'function_call') return { ...fields, arguments: JSON.stringify(args) };
    return fields['type'] === 'custom_tool_call' ? { ...fields, input: textIn(args, 'input') ?? '' } : entry;
  });
  return { ...metadata, output: items };
}
