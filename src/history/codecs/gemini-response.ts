// The `functionResponse` part of a Gemini content: an object that answers a call, and media that the object may refer to
// by name. Calls are in `gemini.ts`.

import { type ChangeAt, type Path, type Place, type Slot, withAt } from './lens.ts';
import { mediaFrom } from './media-facts.ts';
import { item, type MediaFacts } from './message.ts';
import { guarded, listOf, type Native, nativeOf, textIn, weightOf } from './native.ts';
import { jsonText } from './value-text.ts';

/**
 * A `response` with a single text reads as that text, otherwise as JSON; `error` in it marks an error (`Part` in the
 * SDK).
 */
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

/** The fields the API defines: `output` for the function's output, `error` for an error message. */
function responseOf(text: string, before: unknown): Native {
  const name = isError(before) ? 'error' : (onlyText(before)?.[0] ?? 'output');
  return { [name]: text };
}

function mediaIn(part: unknown): MediaFacts | null {
  const inline = nativeOf(part)?.['inlineData'];
  const where = nativeOf(inline ?? nativeOf(part)?.['fileData']);
  return where && mediaFrom(where['data'], textIn(where, 'mimeType'));
}

/** The part as a result and the media inside it. */
export function responseSlot(at: Path, body: Native, callId: string, sealed: boolean): Slot {
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
  const write: Place['write'] = (part, change) =>
    withAt(part, ['functionResponse'], responseEdited(body, inner, facts, change));
  return { items: [result, ...media], places: [{ at, write }] };
}

function responseEdited(
  body: Native,
  inner: readonly unknown[],
  facts: readonly (MediaFacts | null)[],
  change: ChangeAt,
): Native {
  const text = change(0)?.text ?? null;
  const before = text === null ? body['response'] : responseOf(text, body['response']);
  let at = 0;
  const gone: { readonly name: string | null; readonly text: string }[] = [];
  const parts = inner.filter((part, index) => {
    if (facts[index] === null) return true;
    at += 1;
    const { removed = false, media = null } = change(at) ?? {};
    if (!removed && media === null) return true;
    const native = nativeOf(part);
    const name = textIn(native?.['inlineData'] ?? native?.['fileData'], 'displayName');
    gone.push({ name, text: removed ? '' : (media ?? '') });
    return false;
  });
  const { value, found } = dereferenced(
    before,
    new Map(gone.map(({ name, text: instead }) => [name, instead])),
  );
  let response = value;
  const said = gone.filter((media) => media.text !== '' && !found.has(media.name));
  if (said.length > 0) response = withText(response, said.map((media) => media.text).join('\n'));
  return {
    ...body,
    ...(response === body['response'] ? {} : { response }),
    ...(inner.length === 0 ? {} : { parts }),
  };
}

/** Replaces `{ "$ref": name }` to removed media, which the API would reject, with the media's replacement text. */
function dereferenced(
  value: unknown,
  instead: ReadonlyMap<string | null, string>,
): { readonly value: unknown; readonly found: ReadonlySet<string | null> } {
  const found = new Set<string | null>();
  const replaced = guarded<unknown>(
    () =>
      JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
        const name = textIn(inner, '$ref');
        const text = name === null ? undefined : instead.get(name);
        if (text !== undefined) found.add(name);
        return text ?? inner;
      }),
    value,
  );
  return { value: found.size > 0 ? replaced : value, found };
}

/** Responses have no text parts, so replacement text is appended to the single text or put in a separate field. */
function withText(response: unknown, text: string): Native {
  const only = onlyText(response);
  if (only) return { [only[0]]: only[1] === '' ? text : `${only[1]}\n${text}` };
  const native = nativeOf(response) ?? {};
  let name = Object.keys(native).length === 0 ? 'output' : 'leftOut';
  while (name in native) name = `${name}_`;
  return { ...native, [name]: text };
}
