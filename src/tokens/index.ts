// Public interface of the tokens room: exact token counts of text.

export { createTokenCounter, type TokenCounter } from './counter.ts';
export type { EncodingName } from './vocabulary.ts';
