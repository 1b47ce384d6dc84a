// The tokens room's front: exact token counts of text.

export { createTokenCounter, type TokenCounter } from './counter.ts';
export type { EncodingName } from './vocabulary.ts';
