// The id of a conversation in a storage. It is a folder in the paths of its files, so that all of them can be removed.

import { randomBytes } from 'node:crypto';

/** A valid folder name on any file system, case-sensitive or not. */
export const CONVERSATION_ID_PATTERN: string = '[a-z0-9][a-z0-9-]{0,39}';
const CONVERSATION_ID = new RegExp(`^${CONVERSATION_ID_PATTERN}$`);

export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && CONVERSATION_ID.test(value);
}

/** 60 random bits in 12 characters; short, because placeholders repeat it in the prompt. */
export function newConversationId(): string {
  const number = randomBytes(8).readBigUInt64BE() >> 4n;
  return number.toString(36).padStart(12, '0');
}
