// Schemas of the API's input and output: requests are validated against them, and `/openapi.json` is generated from
// them.

import { z } from 'zod';
import type { ReadRequest } from '../../index.ts';

const range = z.union([z.string().max(1000), z.int()]).transform(String);

/** The fields of a `ReadRequest` that can be sent by another process. */
type SentRequest = Required<Omit<ReadRequest, 'signal' | 'said' | 'onProgress'>>;

type ReadFields = { [Field in keyof SentRequest]: z.ZodExactOptional<z.ZodType<SentRequest[Field]>> };

export const READ_FIELDS: ReadFields = {
  lines: range
    .exactOptional()
    .meta({ description: 'Lines of a text: `"201-400"`, `"-100"` for the last 100.' }),
  rows: range.exactOptional().meta({ description: 'Rows of a table: `"21-40"`.' }),
  columns: z.string().max(10_000).exactOptional().meta({ description: 'Columns by name, index or `"A-F"`.' }),
  header: z.boolean().exactOptional().meta({
    description: 'Delimited files and sheets: false reads the first record as a row. Default: detected.',
  }),
  sheet: range.exactOptional().meta({ description: 'Sheet by name or 1-based index.' }),
  pages: range.exactOptional().meta({ description: 'Pages or slides: `"1-3,7"`.' }),
  pointer: z.string().max(10_000).exactOptional().meta({
    description:
      'JSON Pointer (RFC 6901) to the part of a structured file to show; `/items/*/price` for all.',
  }),
  symbol: z
    .string()
    .max(1000)
    .exactOptional()
    .meta({ description: 'A definition in source code, by its name: `Reader.read`.' }),
  section: z
    .string()
    .max(1000)
    .exactOptional()
    .meta({ description: 'The text of a document under a heading: its number or its words.' }),
  table: range
    .exactOptional()
    .meta({ description: 'A table of a document by its number, with `rows`, `columns` and `format`.' }),
  comment: range.exactOptional().meta({ description: 'A comment of a document by its number or mark.' }),
  region: z
    .string()
    .max(100)
    .exactOptional()
    .meta({ description: 'Crop of an image in original pixels: `"x,y,width,height"`.' }),
  bytes: range.exactOptional().meta({ description: 'Bytes of a text file, read as if they were all of it.' }),
  changes: z.enum(['accept', 'mark']).exactOptional().meta({ description: 'Tracked changes of a document.' }),
  detail: z
    .enum(['low', 'auto', 'full'])
    .exactOptional()
    .meta({ description: 'How much detail of a picture to return.' }),
  cursor: z
    .string()
    .max(100_000)
    .exactOptional()
    .meta({ description: '`truncation.next.cursor` of a previous answer; continues exactly there.' }),
  maxTokens: z
    .int()
    .min(0)
    .exactOptional()
    .meta({ description: 'Token budget of the answer, including notes.' }),
  overflow: z
    .enum(['truncate', 'error', 'outline'])
    .exactOptional()
    .meta({ description: 'What to do when not everything fits. Default `truncate`.' }),
  format: z
    .enum(['csv', 'markdown', 'json', 'text'])
    .exactOptional()
    .meta({ description: 'How tables are written; `text` shows any text file unchanged.' }),
  numbered: z.boolean().exactOptional().meta({ description: 'Prefix line numbers.' }),
  boxes: z
    .boolean()
    .exactOptional()
    .meta({ description: 'Adds the box of each block to each part of a PDF or presentation.' }),
  formulas: z
    .boolean()
    .exactOptional()
    .meta({ description: 'With `all`: cells of workbooks with their formulas.' }),
  plain: z.boolean().exactOptional().meta({
    description: 'With `all`: cells of XLSX files as stored, without number formats.',
  }),
  encoding: z.string().max(100).exactOptional().meta({ description: 'Overrides the detected encoding.' }),
  password: z.string().max(1024).exactOptional().meta({
    description:
      'Opens a protected PDF, Office document or zip entry. Never stored or logged; not in a query.',
    format: 'password',
    writeOnly: true,
  }),
  all: z.boolean().exactOptional().meta({ description: 'No format limits and no budget.' }),
};

/** Fields that select a part of the only file. */
type InsideFields = Record<'entry' | 'place', z.ZodExactOptional<z.ZodString>>;

export const readRequestSchema: z.ZodObject<ReadFields & InsideFields> = z
  .strictObject({
    ...READ_FIELDS,
    entry: z.string().max(10_000).exactOptional().meta({
      description: 'A file inside the only file, as after `!/` in its address: `data/orders.csv`.',
    }),
    place: z.string().max(10_000).exactOptional().meta({
      description: 'A place in the only file, as contents and matches state it: `#page=3`.',
    }),
  })
  .meta({ id: 'ReadRequest' });

export const inspectRequestSchema: z.ZodObject = z
  .strictObject({
    encoding: READ_FIELDS.encoding,
    sheet: READ_FIELDS.sheet,
    password: READ_FIELDS.password,
    maxTokens: READ_FIELDS.maxTokens,
    cursor: READ_FIELDS.cursor,
  })
  .meta({ id: 'InspectRequest' });

const extent = z
  .object({
    unit: z.string(),
    from: z.number(),
    to: z.number(),
    of: z.number().optional(),
    name: z.string().optional(),
  })
  .meta({ id: 'Extent', description: 'A range, 1-based and inclusive, in a unit of the format.' });

const warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Warning' });

const metadata = z
  .looseObject({
    name: z.string(),
    bytes: z.number().optional(),
    modified: z.string().optional(),
    mimeType: z.string().optional(),
    encoding: z.object({ name: z.string(), confidence: z.number() }).optional(),
  })
  .meta({ id: 'Metadata', description: 'Facts about the file, depending on its format.' });

const contentPart = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string(), at: z.array(extent) }),
    z.object({ kind: z.literal('outline'), text: z.string(), at: z.array(extent) }).meta({
      description: 'Precedes a first view that does not hold the whole file; not part of the file.',
    }),
    z.object({
      kind: z.literal('binary'),
      data: z.string().meta({ description: 'Base64.' }),
      mimeType: z.string(),
      at: z.array(extent),
    }),
  ])
  .meta({ id: 'ContentPart' });

const readSuccess = z
  .object({
    success: z.literal(true),
    fileType: z.string(),
    processor: z.string(),
    text: z.string().meta({ description: 'What a model sees: content and notes, within the budget.' }),
    content: z.array(contentPart),
    truncation: z
      .object({
        shown: z.array(extent),
        omitted: z.array(extent),
        cellsCut: z.int().optional(),
        tokens: z.object({ shown: z.number() }),
        next: z
          .object({
            cursor: z.string(),
            request: z.record(z.string(), z.unknown()).optional(),
            skip: z.record(z.string(), z.unknown()).optional(),
          })
          .nullable(),
      })
      .nullable()
      .meta({ description: 'Null when everything is shown.' }),
    metadata,
    warnings: z.array(warning),
  })
  .meta({ id: 'ReadSuccess' });

const readFailure = z
  .object({
    success: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
    metadata,
  })
  .meta({ id: 'ReadFailure' });

/** `FileExtractionResult`, with bytes as base64. */
export const resultSchema: z.ZodType = z
  .discriminatedUnion('success', [readSuccess, readFailure])
  .meta({ id: 'FileExtractionResult' });

const inspection = z
  .discriminatedUnion('success', [
    z.object({
      success: z.literal(true),
      fileType: z.string(),
      processor: z.string(),
      metadata,
      warnings: z.array(warning),
      contents: z
        .object({
          text: z.string(),
          shown: z.tuple([z.number(), z.number()]).nullable(),
          of: z.number(),
          next: z.object({ cursor: z.string() }).nullable(),
        })
        .optional()
        .meta({ description: 'With `maxTokens` or `cursor`: headings, tables, comments, sheets, keys.' }),
    }),
    readFailure,
  ])
  .meta({ id: 'Inspection' });

const severalOf = (schema: z.ZodType): z.ZodType =>
  z.object({ results: z.array(schema) }).meta({ description: 'One entry per file, in the order given.' });

export const readAnswerSchema: z.ZodType = z.union([resultSchema, severalOf(resultSchema)]);
export const inspectAnswerSchema: z.ZodType = z.union([inspection, severalOf(inspection)]);
