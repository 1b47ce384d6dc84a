// Public interface of the redaction room.

export type { SecretKind } from './formats.ts';
export { keyOf } from './key.ts';
export { placeholdersIn } from './placeholder.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { isRedacted, redactedSource } from './source.ts';
