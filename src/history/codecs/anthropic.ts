// Format of Anthropic's Messages API, as typed by `MessageParam` and `BetaMessageParam` in @anthropic-ai/sdk 1.12. The
// system prompt and tools are separate fields of a request and are not read here.

import { type Codec, STRICT } from './codec.ts';
import { type Entries, type Entry, resultSlot, searchText, speech } from './content.ts';
import { createCodec, hostedSlot, opaqueSlot, type Path, type Reading, type Slot, slot } from './lens.ts';
import { detectLike } from './likeness.ts';
import { mediaFrom, mediaOfText, mediaUnknown } from './media-facts.ts';
import { type Item, item, type MediaFacts, rolesOf, textKind } from './message.ts';
import { joined, listOf, type Native, nativeOf, sealedWeight, textIn, weightOf } from './native.ts';
import { jsonText } from './value-text.ts';

const ROLES = rolesOf('system', 'user', 'assistant');

/** Characters that cost as much as an image of unknown size, 1600 tokens. */
const PICTURE = 5000;

/** Facts of an image or document block. */
function mediaOf(block: Native): MediaFacts {
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

/** Fields that no model reads. */
const UNREAD: readonly string[] = ['cache_control'];
/** A text block in place of others; it takes over their cache mark. */
function textBlock(text: string, from: readonly unknown[] = []): Native {
  const first = nativeOf(from[0]);
  const mark = from.flatMap((block) => nativeOf(block)?.['cache_control'] ?? []).at(-1);
  return {
    ...(first?.['type'] === 'text' ? first : { type: 'text' }),
    text,
    ...(mark === undefined ? {} : { cache_control: mark }),
  };
}

/** An image or document; a document has a title, a context, and maybe images between its texts. */
function mediaEntry(block: Native): Entry {
  const inner = listOf(nativeOf(block['source'])?.['content']);
  const pictures = inner.filter((each) => textIn(each, 'type') === 'image').length;
  const about = (textIn(block, 'title')?.length ?? 0) + (textIn(block, 'context')?.length ?? 0);
  return { media: mediaOf(block), weight: pictures * PICTURE + about };
}

function readEntry(entry: unknown): Entry | null {
  const block = nativeOf(entry);
  const text = textIn(block, 'text');
  switch (block?.['type']) {
    case 'text': {
      const sealed = listOf(block['citations']).some((each) => textIn(each, 'encrypted_index') !== null);
      return text === null ? null : { text, sealed };
    }
    case 'image':
    case 'document':
      return mediaEntry(block);
    case 'search_result':
      return { media: mediaOfText(searchText(block)) };
    default:
      return null;
  }
}

const SPEECH: Entries = { read: readEntry, part: textBlock, unread: UNREAD };
/** In a result, a search result is text like any other. */
const INNER: Entries = {
  ...SPEECH,
  read: (entry) => {
    const block = nativeOf(entry);
    return block?.['type'] === 'search_result' ? { text: searchText(block) } : readEntry(entry);
  },
};

function read(message: Native): Reading | null {
  const role = ROLES.get(message['role']);
  const kind = textKind(role ?? 'user');
  const slots = role && speech(kind, message['content'], ['content'], SPEECH, readBlock);
  return role ? { role, slots: slots ?? [opaqueSlot([], message, UNREAD)] } : null;
}

function readBlock(part: unknown, at: Path): Slot | null {
  const block = nativeOf(part);
  const type = textIn(block, 'type') ?? '';
  if (!block) return null;
  switch (type) {
    case 'thinking': {
      const text = textIn(block, 'thinking') ?? '';
      return slot(at, item('reasoning', { text, sealed: Boolean(block['signature']) }));
    }
    case 'redacted_thinking':
      return slot(at, item('reasoning', { sealed: true, weight: sealedWeight(textIn(block, 'data')) }));
    case 'compaction':
      return slot(at, compaction(block));
    case 'fallback':
      // The SDK documents that it is not rendered into the prompt.
      return slot(at, item('opaque'));
    case 'tool_result':
    case 'mcp_tool_result':
      return toolResult(block, at, type !== 'tool_result');
    default:
      if (/(?:^|_)tool_use$/.test(type)) return callSlot(block, at, type);
      return /_tool_result$/.test(type)
        ? hostedSlot(at, block, [textIn(block, 'tool_use_id')], UNREAD)
        : null;
  }
}

function callSlot(block: Native, at: Path, type: string): Slot {
  const callId = textIn(block, 'id');
  const caller = textIn(block['caller'], 'tool_id');
  const call = item('call', {
    text: jsonText(block['input']),
    callId,
    toolName: textIn(block, 'name'),
    args: nativeOf(block['input']),
    providerExecuted: type !== 'tool_use',
    links: [type === 'server_tool_use' ? callId : null, caller].filter((id) => id !== null),
  });
  return slot(at, call, { args: ['input'], id: ['id'] });
}

/** The API ignores a failed compaction, which has no content; it then replaces nothing. */
function compaction(block: Native): Item {
  const content = textIn(block, 'content');
  const encrypted = textIn(block, 'encrypted_content');
  const changes = block['tool_changes'];
  return item('opaque', {
    boundary: content !== null || encrypted !== null,
    sealed: encrypted !== null || Boolean(block['signature']),
    weight: (content?.length ?? sealedWeight(encrypted)) + (changes ? weightOf(changes) : 0),
  });
}

function toolResult(block: Native, at: Path, providerExecuted: boolean): Slot {
  const { content, is_error: isError } = block;
  const empty = listOf(content).some(
    (entry) => textIn(entry, 'type') === 'text' && textIn(entry, 'text') === '',
  );
  const facts = {
    callId: textIn(block, 'tool_use_id'),
    isError: isError === true,
    isDone: isError === false,
    isBlank: empty || (isError === true && (content ?? '') === ''),
    providerExecuted,
  };
  return resultSlot(at, facts, content, INNER, ['content'], ['tool_use_id']);
}

/** Block types of other formats that could be mistaken for Anthropic's. */
const FOREIGN =
  /^(?:image_url|input_(?:text|image|file|audio)|output_text|refusal|file|reasoning|audio|video)$/;

function mayBe({ content }: Native): boolean {
  if (!Array.isArray(content)) return typeof content === 'string';
  return content.every((part: unknown) => {
    const block = nativeOf(part);
    const type = textIn(block, 'type');
    if (!block || type === null || !/^[a-z\d_]+$/.test(type) || FOREIGN.test(type)) return false;
    if (type === 'image' || type === 'document') return nativeOf(block['source']) !== null;
    return !('providerOptions' in block || 'thinkingSignature' in block || 'textSignature' in block);
  });
}

function isSurely({ content }: Native): boolean {
  return listOf(content).some((part) => {
    const type = textIn(part, 'type') ?? '';
    if (/(?:^|_)tool_use$/.test(type)) return textIn(part, 'id') !== null;
    if (/(?:^|_)tool_result$/.test(type)) return textIn(part, 'tool_use_id') !== null;
    if (type === 'thinking') return textIn(part, 'signature') !== null;
    return /^(?:image|document|redacted_thinking|search_result|compaction)$/.test(type);
  });
}

/**
 * Sources of the rules: the SDK's type declarations and the API's error responses. The API joins consecutive messages of
 * one role (`MessageCreateParamsBase.messages` in the SDK), so they need not alternate. It rejects any change next to
 * signed thinking in the latest turn; as the codec does not know which turn is the latest, it keeps arguments next to
 * sealed parts.
 */
export const anthropic: Codec = createCodec({
  name: 'anthropic',
  rules: { ...STRICT, callId: /^[a-zA-Z0-9_-]+$/ },
  detect: detectLike({
    roles: ROLES,
    foreign: ['tool_calls', 'tool_call_id', 'parts', 'getType'],
    mayBe,
    isSurely,
  }),
  read,
  list: 'content',
  part: (text) => ({ type: 'text', text }),
  notice: (text, role) => ({ role, content: text }),
  answer: ({ callId }, text) => ({ type: 'tool_result', tool_use_id: callId, content: text, is_error: true }),
  results: { role: 'user', isResult: (part) => textIn(part, 'type') === 'tool_result' },
  unread: UNREAD,
});
