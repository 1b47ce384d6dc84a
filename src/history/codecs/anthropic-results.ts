// Results of tools that Anthropic runs, each with a shape of its own. Other blocks are read in `anthropic.ts`.

import { type Path, type Place, type Slot, valueAt, withAt } from './lens.ts';
import { mediaFrom, mediaOfText, mediaUnknown } from './media-facts.ts';
import { type Item, item, type MediaFacts } from './message.ts';
import { joined, listOf, type Native, nativeOf, sealedWeight, textIn, weightOf } from './native.ts';
import { jsonText } from './value-text.ts';

/** Characters that cost as much as an image of unknown size, 1600 tokens. */
export const PICTURE = 5000;

/** Facts of an image or document block. */
export function mediaOf(block: Native): MediaFacts {
  const type = block['type'] === 'image' ? 'image' : 'document';
  const source = nativeOf(block['source']);
  const mimeType = textIn(source, 'media_type');
  const data = textIn(source, 'data') ?? textIn(source, 'url');
  if (source?.['type'] === 'text' && data !== null) return mediaOfText(data);
  if (source?.['type'] !== 'content')
    return data === null ? mediaUnknown(mimeType, type) : mediaFrom(data, mimeType, type);
  const { content } = source;
  return mediaOfText(
    typeof content === 'string' ? content : joined(listOf(content).map((each) => textIn(each, 'text'))),
  );
}

/** Facts of a result, and the field of its content with its text; absent if there is no place for another text. */
interface ServerContent extends Pick<Partial<Item>, 'isError' | 'sealed' | 'weight'> {
  readonly text: string;
  readonly field?: string;
}

/** Reads a result of a tool that Anthropic ran. Encrypted results are sealed. */
export function readServerResult(block: Native, at: Path): Slot | null {
  const callId = textIn(block, 'tool_use_id');
  if (callId === null) return null;
  const content = nativeOf(block['content']);
  const document = textIn(content, 'type') === 'web_fetch_result' ? nativeOf(content?.['content']) : null;
  // The name of a tool called by code that Anthropic runs contains the id of that code's call.
  const facts = { callId, providerExecuted: true, links: [callId] };
  if (content && document) return fetched(content, document, facts, at);
  const { field, ...found } = serverContent(block['content']);
  return serverSlot(at, [item('result', { ...facts, ...found })], (value, change) => {
    const text = change(0)?.text ?? null;
    if (text === null || field === undefined) return value;
    const next = withAt(value, ['content', field], field === 'lines' ? [text] : text);
    return field === 'stdout' ? withAt(next, ['content', 'stderr'], '') : next;
  });
}

/** A slot whose call can be renamed. */
function serverSlot(at: Path, items: readonly Item[], write: NonNullable<Place['write']>): Slot {
  const named: Place['write'] = (value, change) => {
    const id = change(0)?.callId ?? null;
    return write(id === null ? value : withAt(value, ['tool_use_id'], id), change);
  };
  return { items, places: [{ at, write: named }] };
}

function serverContent(content: unknown): ServerContent {
  if (Array.isArray(content)) return searchHits(content);
  const native = nativeOf(content);
  if (!native) return { text: jsonText(content) };
  const type = textIn(native, 'type') ?? '';
  const isText = native['file_type'] === 'text';
  switch (type) {
    case 'text_editor_code_execution_view_result':
      // For an image or PDF, the content is base64.
      return isText
        ? { text: textIn(native, 'content') ?? '', field: 'content' }
        : { text: '', weight: PICTURE };
    case 'text_editor_code_execution_str_replace_result': {
      const lines = listOf(native['lines']).filter((line) => typeof line === 'string');
      return { text: lines.join('\n'), field: 'lines' };
    }
    case 'advisor_result':
      return { text: textIn(native, 'text') ?? '', field: 'text' };
    default:
  }
  if (type.endsWith('_error'))
    return { text: joined([textIn(native, 'error_code'), textIn(native, 'error_message')]), isError: true };
  const stdout = textIn(native, 'encrypted_stdout');
  if (type.endsWith('code_execution_result')) {
    const code = native['return_code'];
    const files = listOf(native['content']);
    return {
      text: joined([textIn(native, 'stdout'), textIn(native, 'stderr')]),
      isError: typeof code === 'number' && code !== 0,
      sealed: stdout !== null,
      weight: sealedWeight(stdout) + (files.length > 0 ? weightOf(files) : 0),
      field: 'stdout',
    };
  }
  const encrypted = textIn(native, 'encrypted_content');
  const weight = weightOf(native, ['cache_control', 'encrypted_content']) + sealedWeight(encrypted);
  return { text: '', sealed: encrypted !== null, weight };
}

function searchHits(hits: readonly unknown[]): ServerContent {
  const encrypted = hits.map((hit) => textIn(hit, 'encrypted_content'));
  const texts = hits.map((hit) => joined(['title', 'url', 'page_age'].map((name) => textIn(hit, name))));
  return {
    text: joined(texts),
    sealed: encrypted.some((text) => text !== null),
    weight: encrypted.reduce((sum, text) => sum + sealedWeight(text), 0),
  };
}

/** A fetched page or PDF: a page becomes the result's text, anything else media inside the result. */
function fetched(content: Native, document: Native, facts: Partial<Item>, at: Path): Slot {
  const text = valueAt(document, ['source', 'type']) === 'text' ? textIn(document['source'], 'data') : null;
  const weight = (textIn(content, 'url')?.length ?? 0) + (textIn(document, 'title')?.length ?? 0);
  const result = item('result', { ...facts, text: text ?? '', weight });
  const items = text === null ? [result, item('media', { ...facts, media: mediaOf(document) })] : [result];
  return serverSlot(at, items, (value, change) => {
    const media = change(1)?.removed ? '' : (change(1)?.media ?? null);
    const data = text === null ? media : (change(0)?.text ?? null);
    if (data === null) return value;
    return withAt(value, ['content', 'content', 'source'], { type: 'text', media_type: 'text/plain', data });
  });
}
