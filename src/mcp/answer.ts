// Converts a tool's answer to the content of a result, never larger than clients accept. States everything once: no
// `structuredContent` repeats it.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { named, OWN, plural } from '../contract/index.ts';
import type { ToolAnswer, ToolPart } from '../tools/index.ts';
import { MAX_RESULT_BYTES } from './client-limits.ts';
import { uriOf } from './resources.ts';

/** Types clients show as pictures: those that every model provider accepts. */
const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * `answer` as a result of at most `MAX_RESULT_BYTES` as JSON; parts that would exceed it are replaced by a note,
 * starting with the last.
 */
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

/** Overhead around the content: the message envelope, and fields added by a revision. */
const ENVELOPE_BYTES = 2000;

/** Smaller parts are not worth replacing. */
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
    return `Error LIMIT_EXCEEDED: The call succeeded, but its answer of ${plural(bytes, 'byte')} exceeds the ${limit} that clients accept. Request less at once.`;
  return `${OWN.tooLarge}${named(part.name)} as ${part.mimeType} is left out: with it the answer would exceed the ${limit} that clients accept. Ask for it alone, or for a part of it.]`;
}
