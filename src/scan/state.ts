// The state each pass carries from one piece of input to the next: which slot holds which number. The SIMD and scalar
// versions use the same layout, so that one can continue where the other stopped, and a copy of it is a checkpoint.

/** Numbers in a state, for every pass. */
export const STATE_SLOTS = 12;

/**
 * State of the lines and records passes; the lines pass uses only `newline` and `ended`. For bytes, -1 means "none".
 */
export const RECORD = {
  newline: 0,
  quote: 1,
  delimiter: 2,
  /** 1 if empty records are not counted. */
  skipBlank: 3,
  ended: 4,
  /** Ended records that are empty or contain one carriage return. */
  blank: 5,
  /** 1 inside quotes. */
  inside: 6,
  /** The byte before the next one; the newline at the start. */
  previous: 7,
  /** Bytes of the record so far, where 2 means two or more. */
  filled: 8,
  /** Quotes that open elsewhere than at a field's start or close elsewhere than at its end. */
  stray: 9,
  /** Indexes in the piece just past the first and past the last record end; -1 when none ended. */
  first: 10,
  last: 11,
} as const;

/**
 * State of the JSON pass; `depth` and `maxDepth` are in the same slots as for XML. Depth 1 is directly inside the
 * container.
 */
export const JSON_STATE = { depth: 0, inString: 1, escaped: 2, commas: 3, maxDepth: 4, started: 5 } as const;

/** State of the XML pass. Depth 1 is directly inside the element. */
export const XML_STATE = { depth: 0, mode: 1, children: 2, elements: 3, maxDepth: 4 } as const;

/** The XML context of the next byte. */
export const XML_MODE = {
  text: 0,
  /** Just after `<`. */
  open: 1,
  tag: 2,
  /** In a tag, just after `/`. */
  tagSlash: 3,
  doubleQuoted: 4,
  singleQuoted: 5,
  endTag: 6,
  /** Just after `<!`. */
  bang: 7,
  declaration: 8,
  /** Just after `<!-`. */
  bangDash: 9,
  comment: 10,
  commentDash: 11,
  commentDashes: 12,
  cdata: 13,
  cdataBracket: 14,
  cdataBrackets: 15,
  instruction: 16,
  instructionMark: 17,
} as const;

/** The state of a lines or records pass at the start of its input. */
export function recordStart(options: {
  readonly newline: number;
  readonly quote?: number;
  readonly delimiter?: number;
  readonly skipBlank?: boolean;
}): Float64Array {
  const state = new Float64Array(STATE_SLOTS);
  state[RECORD.newline] = options.newline;
  state[RECORD.quote] = options.quote ?? -1;
  state[RECORD.delimiter] = options.delimiter ?? -1;
  state[RECORD.skipBlank] = options.skipBlank ? 1 : 0;
  state[RECORD.previous] = options.newline;
  state[RECORD.first] = -1;
  state[RECORD.last] = -1;
  return state;
}

/** The state just inside a JSON container or an XML element. */
export function nestedStart(): Float64Array {
  const state = new Float64Array(STATE_SLOTS);
  state[JSON_STATE.depth] = 1;
  state[JSON_STATE.maxDepth] = 1;
  return state;
}
