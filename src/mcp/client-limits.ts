// What the clients of MCP take in one answer: figures of those that refuse or drop what is larger.

import type { Limits } from '../index.ts';

/**
 * Bytes of one result as JSON. Claude Desktop refuses results over 1 048 576 ("result exceeds maximum length of
 * 1048576", PrefectHQ/fastmcp issue 1036, July 2025); the rest is room for the envelope.
 */
export const MAX_RESULT_BYTES = 1_000_000;

/**
 * Tokens of one answer that may be asked for. Claude Code drops results over 25 000 of its own tokens
 * (MAX_MCP_OUTPUT_TOKENS, November 2026), which are up to 2.1 of ours (anthropics/claude-code issue 22506).
 */
export const MAX_ANSWER_TOKENS = 12_000;

/** Bytes of the media of one answer: as base64, four thirds of that, they leave 200 KB for the text beside them. */
const MAX_MEDIA_BYTES = 600_000;

/** `limits`, no picture and no recording larger than a client takes. */
export function limitsForClients(limits: Limits): Partial<Limits> {
  return {
    maxImageBytes: Math.min(limits.maxImageBytes, MAX_MEDIA_BYTES),
    // Of a long recording two pieces are given, its head and its tail.
    maxAudioBytes: Math.min(limits.maxAudioBytes, MAX_MEDIA_BYTES / 2),
  };
}
