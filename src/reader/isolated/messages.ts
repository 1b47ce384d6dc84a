// Messages between a reader and its child process. The child reads hostile files, so all its messages are validated
// before use; the reader's messages are trusted. The channel bounds the size of each, and with it every list and text in
// it: a smaller bound here would refuse what an honest child may say.

import { z } from 'zod';
import type {
  BlockBox,
  Boxes,
  Encoding,
  ErrorCode,
  Extent,
  FormatFacts,
  Inside,
  Limits,
  Next,
  OcrLine,
  OutlineLine,
  SectionLines,
  SeenPicture,
  Surroundings,
  TextBlock,
  Warning,
  Whole,
} from '../../contract/index.ts';
import { MAX_LEVEL, MAX_POSITION } from '../../contract/index.ts';
import type { EncodingName } from '../../tokens/index.ts';
import type { Room } from '../budget.ts';
import type { LocalField, ReadRequest } from '../request.ts';
import type { SentPart } from './part.ts';

/** The whole outline, or only its cheap lines. */
export type Outlines = 'outline' | 'brief outline';

/** Commands of the reader. The child answers each except `prepare` with one `Answer`, and may ask `Question`s first. */
export type Command =
  | StartCommand
  /** Preloads these processors before the first file. No answer. */
  | { readonly kind: 'prepare'; readonly processors: readonly string[] }
  /** Work that reads no file, by name. Answered with `output` or `failed`. */
  | { readonly kind: 'task'; readonly name: string; readonly input: unknown }
  /** `room`: null for unlimited. */
  | { readonly kind: 'parts' | Outlines; readonly room: Room | null }
  /** The next part, or the next outline lines. */
  | { readonly kind: 'next' }
  /** Skip the rest. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'end' };

/** Opens a file. The body holds all its bytes, or is empty: then the child asks for them. */
export interface StartCommand {
  readonly kind: 'start';
  readonly request: Omit<ReadRequest, LocalField>;
  /** Whose file it is: the child forgets the files of another user. */
  readonly user: string;
  readonly limits: Limits;
  readonly tokenizer: EncodingName;
  readonly file: {
    readonly name: string;
    readonly mimeType?: string;
    readonly size: number;
    readonly remote?: true;
    /** Milliseconds since 1970. */
    readonly modified?: number;
    readonly entry?: string;
    readonly fragment?: string;
    /**
     * Location of the file if the reader holds it open: a child that can open the same file need not ask for its bytes.
     */
    readonly held?: { readonly path: string; readonly identity: string };
  };
  /** A cache is available. */
  readonly cached: boolean;
  readonly searched: boolean;
  /** Replace secrets by placeholders made with this key, in Base64. */
  readonly redactKey?: string;
  /** The names of what looks at pictures in the reader's process. */
  readonly ocr?: string;
  readonly describer?: string;
}

/** A picture to be looked at in the reader's process; the body holds it. */
export type Look =
  | ({ readonly kind: 'recognize' } & Omit<SeenPicture, 'data'>)
  | ({ readonly kind: 'describe' } & Omit<SeenPicture, 'data'>);

/** Questions of the child; the body of a `put` holds the bytes. */
export type Question =
  | { readonly kind: 'read'; readonly position: number; readonly length: number }
  | { readonly kind: 'identity' }
  | { readonly kind: 'get'; readonly key: string }
  | { readonly kind: 'put'; readonly key: string }
  | Look;

/** The reader's reply; the body holds the bytes. `found` is false if there are none. */
export interface Reply {
  readonly kind: 'reply';
  readonly id: number;
  readonly found: boolean;
  readonly identity?: string;
  /** For `recognize`. */
  readonly lines?: readonly OcrLine[];
  /** For `describe`. */
  readonly description?: string;
  /** Why `recognize` or `describe` failed. */
  readonly failure?: Readonly<Record<'code' | 'message' | 'hint', string>>;
}

/** Everything a processor has reported so far. */
export interface State {
  readonly processor: string;
  readonly warnings: readonly Warning[];
  readonly wholes: readonly Whole[];
  readonly facts: FormatFacts;
  readonly encoding?: Encoding;
  /** Bytes of the file as UTF-8, once decoded. */
  readonly textSize?: number;
}

/** The fields of a state that changed since it was last sent; `wholes` are those from one of them on. */
export type News = Partial<Omit<State, 'wholes'>> & {
  readonly wholes?: { readonly from: number; readonly wholes: readonly Whole[] };
};

/** The child's answer to a command. */
export type Answer =
  /** Answer to a task. */
  | { readonly kind: 'output'; readonly output: unknown }
  | {
      readonly kind: 'started';
      /** Name of the detected processor. */
      readonly detected: string;
      readonly mimeType: string;
      readonly file: { readonly name: string; readonly size: number; readonly identity: string };
      readonly entered: {
        readonly name: string;
        readonly bytes: number;
        readonly modified?: number;
        readonly fragment?: string;
      };
      readonly state: State;
    }
  | { readonly kind: 'part'; readonly part: SentPart; readonly state?: News }
  | { readonly kind: 'lines'; readonly lines: readonly OutlineLine[]; readonly state?: News }
  | { readonly kind: 'done'; readonly state?: News }
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
    };

/** Any message of the child. */
export type Said = Answer | Asked<Look> | Asked<Exclude<Question, Look>>;

/** A question, with the number that its reply repeats. */
export type Asked<T extends Question> = T extends Question ? T & { readonly id: number } : never;

const count = z.int().min(0);
const key = z.string().regex(/^[a-z\d.-]{1,300}$/);
const facts = z.record(z.string(), z.json());
/** The reader's own words about a file, which quote names shortened. */
const words = z.string().max(64 * 1024);

/** A schema for each field of `T`, including optional ones: a field added only to the type does not compile. */
type Fields<T> = { readonly [Field in keyof T]-?: z.ZodType };

const extent = z.strictObject({
  unit: z.string(),
  from: z.number(),
  to: z.number(),
  of: z.number().optional(),
  name: z.string().optional(),
} satisfies Fields<Extent>);
const position = z.array(z.union([z.number(), z.string()])).max(MAX_POSITION);
const fields = z.record(z.string(), z.union([z.string(), z.boolean(), z.number()]));
const place = {
  shown: z.array(extent),
  next: z
    .strictObject({
      position,
      request: fields.optional(),
      skip: fields.optional(),
      surroundings: z
        .strictObject({
          inside: z.string().optional(),
          following: z.array(z.string()),
        } satisfies Fields<Surroundings>)
        .optional(),
    } satisfies Fields<Next>)
    .optional(),
};
const boxes = z.strictObject({
  width: z.number(),
  height: z.number(),
  blocks: z.array(
    z.strictObject({
      from: count,
      to: count,
      left: z.number(),
      top: z.number(),
      right: z.number(),
      bottom: z.number(),
    } satisfies Fields<BlockBox>),
  ),
} satisfies Fields<Boxes>);
const block = z.strictObject({
  to: count,
  kind: z.string(),
  level: count.optional(),
  title: z.string().optional(),
  items: z.array(count).optional(),
  frame: z.strictObject({ before: z.string(), after: z.string() }).optional(),
} satisfies Fields<TextBlock>);
const part = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    bytes: count,
    viewed: z.boolean(),
    cellsCut: count.optional(),
    boxes: boxes.optional(),
    blocks: z.array(block).optional(),
    inside: z
      .strictObject({
        path: words,
        failure: z.strictObject({ code: z.string(), message: words }).optional(),
      } satisfies Fields<Inside>)
      .optional(),
    ...place,
  } satisfies Fields<Extract<SentPart, { kind: 'text' }>>),
  z.strictObject({
    kind: z.literal('binary'),
    mimeType: z.string(),
    ...place,
  } satisfies Fields<Extract<SentPart, { kind: 'binary' }>>),
]);
const line = z.strictObject({
  text: z.string(),
  short: z.string().optional(),
  name: z.string().optional(),
  around: z.tuple([z.string(), z.string()]).optional(),
  level: count.max(MAX_LEVEL).optional(),
  weight: count.optional(),
  nested: z.literal(true).optional(),
  names: z
    .strictObject({
      title: z.string(),
      from: count,
      to: count,
      isHeading: z.boolean(),
    } satisfies Fields<SectionLines>)
    .optional(),
} satisfies Fields<OutlineLine>);
const whole = z.strictObject({
  unit: z.string(),
  of: z.number(),
  name: z.string().optional(),
} satisfies Fields<Whole>);
const state = z.strictObject({
  processor: z.string(),
  warnings: z.array(z.strictObject({ code: z.string(), message: words } satisfies Fields<Warning>)),
  wholes: z.array(whole),
  facts,
  encoding: z
    .strictObject({
      name: z.string(),
      confidence: z.number(),
      others: z.array(z.string()).optional(),
    } satisfies Fields<Encoding>)
    .optional(),
  textSize: count.optional(),
} satisfies Fields<State>);
const news = state
  .extend({ wholes: z.strictObject({ from: count, wholes: z.array(whole) }) } satisfies Fields<
    Pick<News, 'wholes'>
  >)
  .partial();
const said = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('read'), id: count, position: count, length: count }),
  z.strictObject({ kind: z.literal('identity'), id: count }),
  z.strictObject({ kind: z.literal('get'), id: count, key }),
  z.strictObject({ kind: z.literal('put'), id: count, key }),
  z.strictObject({
    kind: z.enum(['recognize', 'describe']),
    id: count,
    mimeType: z.string(),
    width: count,
    height: count,
  }),
  z.strictObject({
    kind: z.literal('started'),
    detected: z.string(),
    mimeType: z.string(),
    file: z.strictObject({ name: z.string(), size: count, identity: z.string() }),
    entered: z.strictObject({
      name: z.string(),
      bytes: count,
      modified: z.number().optional(),
      fragment: z.string().optional(),
    }),
    state,
  }),
  z.strictObject({ kind: z.literal('lines'), lines: z.array(line), state: news.optional() }),
  z.strictObject({ kind: z.literal('part'), part, state: news.optional() }),
  z.strictObject({ kind: z.literal('done'), state: news.optional() }),
  z.strictObject({ kind: z.literal('ended') }),
  z.strictObject({
    kind: z.literal('failed'),
    code: z.string(),
    message: words,
    hint: words,
  }),
]);

/** `head` as a valid message of a child; undefined for anything else. */
export function checkSaid(head: unknown): Said | undefined {
  try {
    const { data } = said.safeParse(head);
    // The schema matches `Said`, except for closed sets (units, codes): any short word passes as one of those.
    return data as Said | undefined;
  } catch {
    return undefined; // nested too deep for the stack
  }
}
