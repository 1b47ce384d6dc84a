// Distinguishes pi's messages from those of other formats.

import { listOf, nativeOf } from '../native.ts';

const ENTRIES: ReadonlySet<unknown> = new Set([
  'session',
  'message',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'model_change',
  'thinking_level_change',
]);
const OWN_ROLES: ReadonlySet<unknown> = new Set([
  'toolResult',
  'bashExecution',
  'branchSummary',
  'compactionSummary',
  'custom',
  'hookMessage',
]);
const PARTS: ReadonlySet<unknown> = new Set(['text', 'image', 'thinking', 'toolCall']);

/** Whether the message can be pi's. */
export function mayBe(message: unknown): boolean {
  const native = nativeOf(message);
  if (!native || 'getType' in native) return false;
  if (ENTRIES.has(native['type']) && typeof native['timestamp'] === 'string') {
    return native['type'] !== 'message' || nativeOf(native['message']) !== null;
  }
  if (OWN_ROLES.has(native['role'])) return true;
  if (native['role'] !== 'user' && native['role'] !== 'assistant') return false;
  const content = native['content'];
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((part: unknown) => PARTS.has(nativeOf(part)?.['type']));
}

/** Whether the message cannot have any other format. */
export function isSurely(message: unknown): boolean {
  const native = nativeOf(message);
  if (!native) return false;
  if (native['type'] === 'message') return typeof nativeOf(native['message'])?.['role'] === 'string';
  if (ENTRIES.has(native['type']) || OWN_ROLES.has(native['role'])) return true;
  const calls = listOf(native['content']).some((part) => nativeOf(part)?.['type'] === 'toolCall');
  const ran = ['api', 'provider', 'model', 'usage'].every((name) => name in native);
  return native['role'] === 'assistant' && (calls || ran);
}
