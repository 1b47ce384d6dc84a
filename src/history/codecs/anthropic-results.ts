// Reads and edits results in Anthropic messages: of the caller's tools, of MCP servers, and of Anthropic's own tools.
// Each kind has its own shape. Calls are in `anthropic.ts`.

import { mediaFromBase64, mediaFromUrl, mediaUnknown } from './media-facts.ts';
import { item, type MediaFacts } from './message.ts';
import { joined, listOf, type Native, nativeOf, sealedWeight, textIn, weightOf } from './native.ts';
import { type InnerKind, innerEdited, type PartReading } from './parts.ts';
import { jsonText } from './value-text.ts';

/** Block fields that no model reads. */
export const UNREAD: readonly string[] = ['cache_control'];

/** A text block that replaces other blocks and takes over their cache mark. */
export function textInstead(text: string, from: readonly unknown[]): Native {
  const first = nativeOf(from[0]);
  const marks = from.flatMap((block) => nativeOf(block)?.['cache_control'] ?? []);
  const mark = marks.at(-1);
  return {
    ...(first?.['type'] === 'text' ? first : { type: 'text' }),
    text,
    ...(mark === undefined ? {} : { cache_control: mark }),
  };
}

/** Facts of a plain-text document, which is read as text. */
export function mediaOfText(text: string): MediaFacts {
  return { ...mediaUnknown('text/plain', 'document'), bytes: Buffer.byteLength(text) };
}

function contentText(content: unknown): string {
  return typeof content === 'string'
    ? content
    : joined(listOf(content).map((block) => textIn(block, 'text')));
}

/** Facts of an image or document block. */
export function mediaOf(block: Native): MediaFacts {
  const type = block['type'] === 'image' ? 'image' : 'document';
  const source = nativeOf(block['source']);
  const mimeType = textIn(source, 'media_type');
  const data = textIn(source, 'data');
  if (source?.['type'] === 'base64' && data !== null) return mediaFromBase64(data, mimeType, type);
  if (source?.['type'] === 'text' && data !== null) return mediaOfText(data);
  if (source?.['type'] === 'content') return mediaOfText(contentText(source['content']));
  const url = textIn(source, 'url');
  return url === null ? mediaUnknown(mimeType, type) : mediaFromUrl(url, mimeType, type);
}

/** Characters that cost as much as an image of unknown size, 1600 tokens. */
const PICTURE = 5000;

/** Characters of a document besides its text or bytes: title, context, and the weight of images between its texts. */
export function documentWeight(block: Native): number {
  const pictures = listOf(nativeOf(block['source'])?.['content']).filter(
    (inner) => textIn(inner, 'type') === 'image',
  ).length;
  return pictures * PICTURE + (textIn(block, 'title')?.length ?? 0) + (textIn(block, 'context')?.length ?? 0);
}

/** All text of a search result: title, source and content. */
export function searchText(block: Native): string {
  const content = Array.isArray(block['content']) ? block['content'] : [];
  return joined([
    textIn(block, 'title'),
    textIn(block, 'source'),
    ...content.map((entry: unknown) => textIn(entry, 'text')),
  ]);
}

/** Reads a `tool_result` or a block of the same shape: content is a text or a list of blocks. */
export function readToolResult(block: Native, providerExecuted: boolean): PartReading {
  const callId = textIn(block, 'tool_use_id');
  const content = block['content'];
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  const kinds = list.map(innerKind);
  const texts = list.flatMap((entry, index) => (kinds[index] === 'text' ? [innerText(entry)] : []));
  const rest = list.filter((_, index) => kinds[index] === 'other');
  const result = item('result', {
    text: typeof content === 'string' ? content : joined(texts),
    callId,
    isError: block['is_error'] === true,
    isDone: block['is_error'] === false,
    isBlank: texts.includes('') || (block['is_error'] === true && (content ?? '') === ''),
    providerExecuted,
    weight: rest.length > 0 ? weightOf(rest, UNREAD) : 0,
  });
  const media = list.flatMap((entry, index) => {
    const native = kinds[index] === 'media' ? nativeOf(entry) : null;
    if (!native) return [];
    const facts = { callId, media: mediaOf(native), weight: documentWeight(native), providerExecuted };
    return [item('media', facts)];
  });
  return {
    items: [result, ...media],
    rebuild: (change) => {
      if (change(0)?.removed) return null;
      if (Array.isArray(content)) {
        return { ...block, content: innerEdited(list, kinds, change, textInstead) };
      }
      const text = change(0)?.text ?? null;
      return text === null ? block : { ...block, content: text };
    },
  };
}

function innerKind(block: unknown): InnerKind {
  const type = textIn(block, 'type');
  if (type === 'image' || type === 'document') return 'media';
  if (type === 'search_result') return 'text';
  return type === 'text' && textIn(block, 'text') !== null ? 'text' : 'other';
}

function innerText(block: unknown): string {
  const native = nativeOf(block) ?? {};
  return native['type'] === 'search_result' ? searchText(native) : (textIn(native, 'text') ?? '');
}

/** Text of a result, and how to replace it; null if the shape has no place for another text. */
interface ServerContent {
  readonly text: string;
  readonly isError?: boolean;
  readonly sealed?: boolean;
  readonly weight?: number;
  readonly withText?: (text: string) => Native;
}

/** Reads a result of a tool that Anthropic ran. Encrypted results are sealed. */
export function readServerResult(block: Native): PartReading {
  const content = block['content'];
  const fetched = nativeOf(nativeOf(content)?.['content']);
  if (textIn(content, 'type') === 'web_fetch_result' && fetched) return readFetched(block, fetched);
  const { text, isError = false, sealed = false, weight = 0, withText } = serverContent(content);
  const callId = textIn(block, 'tool_use_id');
  const facts = { text, callId, isError, sealed, weight, providerExecuted: true, links: linksTo(callId) };
  return {
    items: [item('result', facts)],
    rebuild: (change) => {
      if (change(0)?.removed) return null;
      const instead = change(0)?.text ?? null;
      return instead === null || !withText ? block : { ...block, content: withText(instead) };
    },
  };
}

/**
 * The name of a tool called by code that Anthropic runs contains the id of that code's call, possibly from an earlier
 * message.
 */
export function linksTo(id: string | null): readonly string[] {
  return id === null ? [] : [id];
}

function serverContent(content: unknown): ServerContent {
  if (Array.isArray(content)) return searchHits(content);
  const native = nativeOf(content);
  if (!native) return { text: jsonText(content) };
  const type = textIn(native, 'type') ?? '';
  if (type.endsWith('_error')) {
    return { text: joined([textIn(native, 'error_code'), textIn(native, 'error_message')]), isError: true };
  }
  if (type.endsWith('code_execution_result')) return executed(native);
  // For an image or PDF, the content is base64.
  if (type === 'text_editor_code_execution_view_result' && native['file_type'] !== 'text')
    return { text: '', weight: PICTURE };
  if (type === 'text_editor_code_execution_view_result') {
    return {
      text: textIn(native, 'content') ?? '',
      withText: (text) => ({ ...native, content: text }),
    };
  }
  if (type === 'text_editor_code_execution_str_replace_result') {
    const lines = Array.isArray(native['lines']) ? native['lines'] : [];
    return {
      text: lines.filter((line: unknown) => typeof line === 'string').join('\n'),
      withText: (text) => ({ ...native, lines: [text] }),
    };
  }
  if (type === 'advisor_result') {
    return { text: textIn(native, 'text') ?? '', withText: (text) => ({ ...native, text }) };
  }
  const encrypted = textIn(native, 'encrypted_content');
  return {
    text: '',
    sealed: encrypted !== null,
    weight: weightOf(native, [...UNREAD, 'encrypted_content']) + sealedWeight(encrypted),
  };
}

function searchHits(hits: readonly unknown[]): ServerContent {
  const encrypted = hits.map((hit) => textIn(hit, 'encrypted_content'));
  return {
    text: joined(
      hits.map((hit) => joined([textIn(hit, 'title'), textIn(hit, 'url'), textIn(hit, 'page_age')])),
    ),
    sealed: encrypted.some((text) => text !== null),
    weight: encrypted.reduce((sum, text) => sum + sealedWeight(text), 0),
  };
}

function executed(native: Native): ServerContent {
  const encrypted = textIn(native, 'encrypted_stdout');
  const code = native['return_code'];
  const files = Array.isArray(native['content']) && native['content'].length > 0 ? native['content'] : null;
  return {
    text: joined([textIn(native, 'stdout'), textIn(native, 'stderr')]),
    isError: typeof code === 'number' && code !== 0,
    sealed: encrypted !== null,
    weight: sealedWeight(encrypted) + (files ? weightOf(files) : 0),
    withText: (text) => ({ ...native, stdout: text, stderr: '' }),
  };
}

/** A fetched page or PDF: a page becomes the result's text, anything else media inside the result. */
function readFetched(block: Native, document: Native): PartReading {
  const source = nativeOf(document['source']);
  const callId = textIn(block, 'tool_use_id');
  const text = source?.['type'] === 'text' ? textIn(source, 'data') : null;
  const content = nativeOf(block['content']) ?? {};
  const facts = { callId, providerExecuted: true, links: linksTo(callId) };
  const about = (textIn(content, 'url')?.length ?? 0) + (textIn(document, 'title')?.length ?? 0);
  const result = item('result', { ...facts, text: text ?? '', weight: about });
  const media = text === null ? [item('media', { ...facts, media: mediaOf(document) })] : [];
  return {
    items: [result, ...media],
    rebuild: (change) => {
      if (change(0)?.removed) return null;
      const inside = change(1);
      const instead =
        text === null ? (inside?.removed ? '' : (inside?.media ?? null)) : (change(0)?.text ?? null);
      if (instead === null) return block;
      const plain = { type: 'text', media_type: 'text/plain', data: instead };
      return { ...block, content: { ...content, content: { ...document, source: plain } } };
    },
  };
}
