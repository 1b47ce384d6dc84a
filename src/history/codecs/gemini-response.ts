// The `functionResponse` part of a Gemini content: an object that answers a call, and media beside it that the object may
// refer to by name. Not the calls.

import { item, type MediaFacts } from '../message.ts';
import { mediaFromBase64, mediaFromBytes, mediaUnknown } from './media-facts.ts';
import { bytesOf, type Change, listOf, type Native, nativeOf, textIn, weightOf } from './native.ts';
import { jsonText, type PartReading } from './parts.ts';

/** `response` of one text reads as that text, of anything else as JSON; `error` in it marks an error (`Part` in the SDK). */
function responseText(response: unknown): string {
  const only = onlyText(response);
  return only === null ? jsonText(response) : only[1];
}

function onlyText(response: unknown): readonly [name: string, text: string] | null {
  const native = nativeOf(response);
  const names = native ? Object.keys(native) : [];
  const [name] = names;
  const text = name === undefined ? null : textIn(native, name);
  return names.length === 1 && name !== undefined && text !== null ? [name, text] : null;
}

function isError(response: unknown): boolean {
  const error = nativeOf(response)?.['error'];
  return error !== undefined && error !== null;
}

/** The fields the API defines: `output` for what a function says, `error` for what went wrong. */
function responseOf(text: string, before: unknown): Native {
  const name = isError(before) ? 'error' : (onlyText(before)?.[0] ?? 'output');
  return { [name]: text };
}

function mediaIn(part: unknown): MediaFacts | null {
  const inline = nativeOf(nativeOf(part)?.['inlineData']);
  const file = nativeOf(nativeOf(part)?.['fileData']);
  const mimeType = textIn(inline ?? file, 'mimeType');
  const bytes = bytesOf(inline?.['data']);
  if (bytes) return mediaFromBytes(bytes, mimeType);
  const data = textIn(inline, 'data');
  if (data !== null) return mediaFromBase64(data, mimeType);
  return inline || file ? mediaUnknown(mimeType) : null;
}

/** The part as a result and the media inside it. */
export function responsePart(part: Native, body: Native, callId: string, sealed: boolean): PartReading {
  const inner = listOf(body['parts']);
  const facts = inner.map(mediaIn);
  const others = inner.filter((_, index) => facts[index] === null);
  const result = item('result', {
    text: responseText(body['response']),
    callId,
    toolName: textIn(body, 'name'),
    isError: isError(body['response']),
    sealed,
    weight: others.length > 0 ? weightOf(others) : 0,
  });
  const media = facts.flatMap((fact) => (fact ? [item('media', { callId, media: fact, sealed })] : []));
  return {
    items: [result, ...media],
    rebuild: (change) =>
      change(0)?.removed ? null : { ...part, functionResponse: responseEdited(body, inner, facts, change) },
  };
}

function responseEdited(
  body: Native,
  inner: readonly unknown[],
  facts: readonly (MediaFacts | null)[],
  change: (index: number) => Change | undefined,
): Native {
  const text = change(0)?.text ?? null;
  let response = text === null ? body['response'] : responseOf(text, body['response']);
  let at = 0;
  const said: string[] = [];
  const instead = new Map<string, string>();
  const parts = inner.filter((part, index) => {
    if (facts[index] === null) return true;
    at += 1;
    const { removed = false, media = null } = change(at) ?? {};
    if (!removed && media === null) return true;
    const native = nativeOf(part);
    const name = textIn(native?.['inlineData'] ?? native?.['fileData'], 'displayName');
    if (name !== null) instead.set(name, media ?? '');
    if (media) said.push(media);
    return false;
  });
  if (instead.size > 0) response = withoutReferences(response, instead, 0);
  if (said.length > 0) response = withText(response, said);
  const left = inner.length === 0 ? {} : { parts };
  return { ...body, ...(response === body['response'] ? {} : { response }), ...left };
}

/** Levels of a response that are searched for references; deeper ones stay. */
const MAX_DEPTH = 100;

/** `{ "$ref": name }` to media that is gone, which the API would refuse, becomes what stands in for it. */
function withoutReferences(value: unknown, instead: ReadonlyMap<string, string>, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value))
    return value.map((entry: unknown) => withoutReferences(entry, instead, depth + 1));
  const native = nativeOf(value);
  if (!native) return value;
  const name = textIn(native, '$ref');
  if (name !== null && instead.has(name)) return instead.get(name);
  const fields = Object.keys(native).map(
    (field) => [field, withoutReferences(native[field], instead, depth + 1)] as const,
  );
  return Object.fromEntries(fields);
}

/** Responses hold no text parts: what stands in for media goes below the one text, or into a field of its own. */
function withText(response: unknown, said: readonly string[]): Native {
  const text = said.join('\n');
  const only = onlyText(response);
  if (only) return { [only[0]]: only[1] === '' ? text : `${only[1]}\n${text}` };
  const native = nativeOf(response) ?? {};
  let name = Object.keys(native).length === 0 ? 'output' : 'leftOut';
  while (name in native) name = `${name}_`;
  return { ...native, [name]: text };
}
