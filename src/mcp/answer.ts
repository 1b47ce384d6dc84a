// A tool's answer as the content of a result, and never larger than clients take. Says everything once: no
// `structuredContent` repeats it.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { named, OWN, plural } from '../contract/index.ts';
import type { ToolAnswer, ToolPart } from '../tools/index.ts';
import { MAX_RESULT_BYTES } from './client-limits.ts';
import { uriOf } from './resources.ts';

/** What clients show as pictures: the types that every model provider takes. */
const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** `answer` as a result of at most `MAX_RESULT_BYTES` as JSON; what would pass them is told instead, the last first. */
export function resultOf(answer: ToolAnswer): CallToolResult {
  const blocks = answer.parts.map(blockOf);
  const sizes = blocks.map(sizeOf);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let isError = answer.isError;
  for (let i = blocks.length - 1; i >= 0 && total > MAX_RESULT_BYTES - ENVELOPE_BYTES; i -= 1) {
    const [part, size] = [answer.parts[i], sizes[i] ?? 0];
    if (part === undefined || size < SMALL_BYTES) continue;
    const block: ContentBlock = { type: 'text', text: tooLarge(part, size) };
    blocks[i] = block;
    total += sizeOf(block) - size;
    isError ||= part.kind === 'text';
  }
  return { content: blocks, isError };
}

/** Around the content: the envelope of the message, and what a revision adds to a result. */
const ENVELOPE_BYTES = 2000;

/** What is smaller than this is not worth telling instead. */
const SMALL_BYTES = 2000;

const sizeOf = (block: ContentBlock): number => Buffer.byteLength(JSON.stringify(block)) + 1;

function blockOf(part: ToolPart): ContentBlock {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { mimeType, name } = part;
  const data = Buffer.from(part.data.buffer, part.data.byteOffset, part.data.byteLength).toString('base64');
  if (PICTURES.includes(mimeType)) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: uriOf(name), mimeType, blob: data } };
}

function tooLarge(part: ToolPart, bytes: number): string {
  const limit = plural(MAX_RESULT_BYTES, 'byte');
  if (part.kind === 'text')
    return `Error LIMIT_EXCEEDED: The call was done, but its answer of ${plural(bytes, 'byte')} is over the ${limit} that clients take. Ask for less at once.`;
  return `${OWN.tooLarge}${named(part.name)} as ${part.mimeType} is left out: with it the answer would pass the ${limit} that clients take. Ask for it alone, or for a part of it.]`;
}
