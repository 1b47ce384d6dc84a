// Types of the HTTP API's responses. Binary content is base64.

import type { FileExtractionResult, Inspection, ReadSuccess as Read, SearchAnswer } from 'lectern';
import type { CompactedOnce } from 'lectern/history';

type OnWire<T> = T extends { kind: 'binary' } ? Omit<T, 'data'> & { readonly data: string } : T;

export type WirePart = OnWire<Read['content'][number]>;
export type ReadSuccess = Omit<Read, 'content'> & { readonly content: readonly WirePart[] };
export type ReadFailure = Extract<FileExtractionResult, { success: false }>;
export type ReadResult = ReadSuccess | ReadFailure;
export type Extent = WirePart['at'][number];
export type Compaction = Pick<CompactedOnce<unknown>, 'messages' | 'report' | 'state'>;

export type Contents = NonNullable<Extract<Inspection, { success: true }>['contents']>;
export type Found = Pick<SearchAnswer, 'matches' | 'total' | 'skipped' | 'notes'>;

export interface Format {
  readonly name: string;
  readonly fileType: string;
  readonly extensions: readonly string[];
  readonly selects: readonly string[];
}

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}
