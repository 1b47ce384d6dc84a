// Non-fatal findings of a read, attached to its result.

/** The kind of finding. */
export type WarningCode =
  | 'TRUNCATED'
  | 'FORMAT_MISMATCH'
  | 'LOSSY_DECODE'
  | 'ENCODING_GUESSED'
  | 'DIALECT_GUESSED'
  | 'HEADER_GUESSED'
  | 'NUMBERS_AS_TEXT'
  | 'NULL_AND_EMPTY'
  | 'INVALID_SYNTAX'
  | 'RAGGED_ROWS'
  | 'UNBALANCED_QUOTES'
  | 'DUPLICATE_KEYS'
  | 'PRECISION_LOSS'
  | 'SKIPPED_CONTENT'
  | 'RUNNING_TEXT'
  | 'NOT_VALIDATED'
  | 'HIDDEN_CONTENT'
  | 'HIDDEN_TEXT'
  | 'INVISIBLE_CHARACTERS'
  | 'SCANNED_PAGES'
  | 'BROKEN_TEXT'
  | 'OCR_TEXT'
  | 'OCR_FAILED'
  | 'DESCRIBED'
  | 'UNSAFE_NAMES'
  | 'CONVERTED'
  | 'CHANGED_DURING_READ'
  | 'INTERRUPTED'
  | 'REDACTED'
  | 'IGNORED_FIELD'
  | 'EMPTY_FILE';

/** A finding the caller should know about. */
export interface Warning {
  readonly code: WarningCode;
  /** One or two sentences for a model: what was found, in the units of the format. No host path. */
  readonly message: string;
}

/** Escapes in a file, such as `\ud800` in JSON, may stand for an unpaired surrogate. */
export const UNPAIRED_SURROGATES: Warning = {
  code: 'LOSSY_DECODE',
  message: 'Unpaired surrogates, which UTF-8 cannot encode, are shown as \ufffd.',
};
