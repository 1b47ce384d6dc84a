// Format of Amazon Bedrock's Converse API, as typed by `Message` in @aws-sdk/client-bedrock-runtime 3.1164. A block has one
// field, which names what it is. The system prompt and tools are separate fields of a request and are not read here.

import { type Codec, STRICT } from './codec.ts';
import { type Entries, type Entry, resultSlot, searchText, speech } from './content.ts';
import { createCodec, opaqueSlot, type Path, type Place, type Reading, type Slot, slot } from './lens.ts';
import { detectLike } from './likeness.ts';
import { mediaFrom, mediaOfText } from './media-facts.ts';
import { item, type MediaFacts, type Role, rolesOf, textKind } from './message.ts';
import { bytesOf, joined, listOf, type Native, nativeOf, textIn } from './native.ts';
import { jsonText } from './value-text.ts';

const ROLES = rolesOf('user', 'assistant');

const MEDIA = ['image', 'document', 'video', 'audio'] as const;
const TEXT_FORMATS = /^(?:txt|csv|html|md)$/;

/** Facts of a block with a format and a source: bytes, an object in S3, or text. */
function mediaOf(type: (typeof MEDIA)[number], block: Native): MediaFacts {
  const format = textIn(block, 'format') ?? 'txt';
  const source = nativeOf(block['source']);
  const kind = TEXT_FORMATS.test(format) ? 'text' : 'application';
  const mimeType = `${type === 'document' ? kind : type}/${format === 'txt' ? 'plain' : format}`;
  const content = listOf(source?.['content']).map((each) => textIn(each, 'text'));
  const text = textIn(source, 'text') ?? (content.length > 0 ? joined(content) : null);
  return text === null ? mediaFrom(source?.['bytes'], mimeType, type) : mediaOfText(text);
}

function readEntry(entry: unknown): Entry | null {
  const block = nativeOf(entry);
  const text = textIn(block, 'text');
  if (text !== null) return { text };
  for (const type of MEDIA) {
    const media = nativeOf(block?.[type]);
    if (media) return { media: mediaOf(type, media), weight: (textIn(media, 'context') ?? '').length };
  }
  const found = nativeOf(block?.['searchResult']);
  return found && { media: mediaOfText(searchText(found)) };
}

const textBlock = (text: string): Native => ({ text });
const SPEECH: Entries = { read: readEntry, part: textBlock };
/** Stands for nothing in a result: Bedrock refuses an empty text. */
const EMPTY = '(empty)';
/** A result also has JSON; a search result in it is text. */
const INNER: Entries = {
  ...SPEECH,
  read: (entry) => {
    const block = nativeOf(entry);
    const found = nativeOf(block?.['searchResult']);
    if (block && 'json' in block) return { text: jsonText(block['json']) };
    if (block?.['text'] === EMPTY) return { text: '' };
    return found ? { text: searchText(found) } : readEntry(entry);
  },
  none: [{ text: EMPTY }],
};

function read(message: Native): Reading | null {
  const role = ROLES.get(message['role']);
  const content = message['content'];
  if (!role || !Array.isArray(content)) return null;
  const others = (block: unknown, at: Path): Slot | null => readBlock(nativeOf(block), at, role);
  const slots = speech(textKind(role), content, ['content'], SPEECH, others);
  return { role, slots: slots ?? [opaqueSlot([], message)] };
}

function readBlock(block: Native | null, at: Path, role: Role): Slot | null {
  const call = nativeOf(block?.['toolUse']);
  if (call) {
    const callId = textIn(call, 'toolUseId');
    const providerExecuted = call['type'] === 'server_tool_use';
    const facts = {
      text: jsonText(call['input']),
      callId,
      toolName: textIn(call, 'name'),
      args: nativeOf(call['input']),
      providerExecuted,
      links: providerExecuted && callId !== null ? [callId] : [],
    };
    return slot(at, item('call', facts), { args: ['toolUse', 'input'], id: ['toolUse', 'toolUseId'] });
  }
  const result = nativeOf(block?.['toolResult']);
  if (result) {
    const callId = textIn(result, 'toolUseId');
    const own = role === 'assistant';
    const facts = {
      callId,
      isError: result['status'] === 'error',
      isDone: result['status'] === 'success',
      isBlank: listOf(result['content']).some((entry) => textIn(entry, 'text')?.trim() === ''),
      providerExecuted: own,
      links: own && callId !== null ? [callId] : [],
    };
    const content = result['content'];
    return resultSlot(at, facts, content, INNER, ['toolResult', 'content'], ['toolResult', 'toolUseId']);
  }
  const reasoning = nativeOf(block?.['reasoningContent']);
  if (reasoning) {
    const said = nativeOf(reasoning['reasoningText']);
    const weight = bytesOf(reasoning['redactedContent'])?.length ?? 0;
    const sealed = said === null || Boolean(said['signature']);
    return slot(at, item('reasoning', { text: textIn(said, 'text') ?? '', sealed, weight }));
  }
  const cited = nativeOf(block?.['citationsContent']);
  if (cited) {
    const text = joined(listOf(cited['content']).map((each) => textIn(each, 'text')));
    const write: Place['write'] = (before, change) => {
      const instead = change(0)?.text ?? null;
      return instead === null ? before : textBlock(instead);
    };
    return { items: [item(textKind(role), { text })], places: [{ at, write }] };
  }
  return block && 'cachePoint' in block ? slot(at, item('opaque')) : null;
}

/** The fields of a block; a block of another format has a type. */
const BLOCK =
  /^(?:text|image|document|video|audio|toolUse|toolResult|guardContent|cachePoint|reasoningContent|citationsContent|searchResult|toolAddition|toolRemoval)$/;

const mayBe = ({ content }: Native): boolean =>
  Array.isArray(content) && content.every((block) => nativeOf(block) !== null && !('type' in Object(block)));

const isSurely = ({ content }: Native): boolean =>
  listOf(content).some((block) => Object.keys(nativeOf(block) ?? {}).some((name) => BLOCK.test(name)));

/**
 * Sources of the rules: the API's reference and its error responses: "A conversation must start with a user message", "must
 * alternate between user and assistant roles", the number of results must be that of the calls of the previous turn,
 * "toolUseId" of at most 64 characters, and no blank text. Behind it are the models' own rules, such as Anthropic's.
 */
export const bedrock: Codec = createCodec({
  name: 'bedrock',
  rules: { ...STRICT, alternates: true, callId: /^[a-zA-Z0-9_-]{1,64}$/ },
  detect: detectLike({ roles: ROLES, foreign: ['getType', 'parts'], mayBe, isSurely }),
  read,
  list: 'content',
  part: textBlock,
  notice: (text, role) => ({ role, content: [{ text }] }),
  answer: ({ callId }, text) => ({ toolResult: { toolUseId: callId, content: [{ text }], status: 'error' } }),
  results: { role: 'user', isResult: (block) => nativeOf(nativeOf(block)?.['toolResult']) !== null },
});
