// The answer sizes that MCP clients accept: limits of clients that reject or drop larger answers.

import type { Limits } from '../index.ts';

/**
 * Bytes of one result as JSON. Claude Desktop refuses results over 1 048 576 ("result exceeds maximum length of
 * 1048576", PrefectHQ/fastmcp issue 1036, July 2025); the rest is room for the envelope.
 */
export const MAX_RESULT_BYTES = 1_000_000;

/**
 * Maximum tokens of one answer that may be requested. Claude Code drops results over 25 000 of its own tokens
 * (MAX_MCP_OUTPUT_TOKENS, November 2026), which are up to 2.1 of ours (anthropics/claude-code issue 22506).
 */
export const MAX_ANSWER_TOKENS = 12_000;

/** Media bytes per answer: as base64, which adds a third, they leave 200 KB for text. */
const MAX_MEDIA_BYTES = 600_000;

/** `limits`, with pictures and recordings no larger than clients accept. */
export function limitsForClients(limits: Limits): Partial<Limits> {
  return {
    maxImageBytes: Math.min(limits.maxImageBytes, MAX_MEDIA_BYTES),
    // A long recording is returned as two pieces, its head and its tail.
    maxAudioBytes: Math.min(limits.maxAudioBytes, MAX_MEDIA_BYTES / 2),
  };
}
