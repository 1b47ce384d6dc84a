// Public interface of the redaction room.

export type { Secret } from './find.ts';
export { keyOf } from './key.ts';
export { placeholdersIn } from './placeholder.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { isRedacted, redactedReads, redactedSource } from './source.ts';
