// The `functionResponse` part of a Gemini content: an object that answers a call, and media that the object may refer to
// by name. Calls are in `gemini.ts`.

import { type ChangeAt, type Path, type Place, type Slot, withAt } from './lens.ts';
import { mediaFrom } from './media-facts.ts';
import { item, type MediaFacts } from './message.ts';
import { listOf, type Native, nativeOf, textIn, weightOf } from './native.ts';
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
  const references = new References(gone);
  let response = gone.length === 0 ? before : references.replaced(before);
  const said = gone.filter((media) => media.text !== '' && !references.found(media.name));
  if (said.length > 0) response = withText(response, said.map((media) => media.text).join('\n'));
  return {
    ...body,
    ...(response === body['response'] ? {} : { response }),
    ...(inner.length === 0 ? {} : { parts }),
  };
}

/** Replaces `{ "$ref": name }` to removed media, which the API would reject, with the media's replacement text. */
class References {
  private readonly instead: ReadonlyMap<string, string>;
  private readonly names = new Set<string>();
  private readonly done = new Map<object, unknown>();

  constructor(gone: readonly { readonly name: string | null; readonly text: string }[]) {
    this.instead = new Map(gone.flatMap(({ name, text }) => (name === null ? [] : [[name, text] as const])));
  }

  found(name: string | null): boolean {
    return name !== null && this.names.has(name);
  }

  /** Returns `value` itself if it does not refer to removed media. */
  replaced(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const name = textIn(value, '$ref');
    const instead = name === null ? undefined : this.instead.get(name);
    if (name !== null && instead !== undefined) {
      this.names.add(name);
      return instead;
    }
    if (this.done.has(value)) return this.done.get(value);
    // A cycle keeps the original object.
    this.done.set(value, value);
    const next = this.within(value);
    this.done.set(value, next);
    return next;
  }

  private within(value: object): unknown {
    const fields = Object.entries(value);
    const next = fields.map(([field, inner]: [string, unknown]) => [field, this.replaced(inner)] as const);
    if (next.every(([, inner], index) => inner === fields[index]?.[1])) return value;
    return Array.isArray(value) ? next.map(([, inner]) => inner) : Object.fromEntries(next);
  }
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
