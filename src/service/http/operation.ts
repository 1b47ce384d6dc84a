// One operation of the HTTP API: its path, input, output and behaviour. Routes, checks and the OpenAPI document are all
// derived from these.

import type { z } from 'zod';
import type { Identity, Scope } from '../identity.ts';
import type { Uploads } from './body/uploads.ts';
import type { RequestHeader } from './request-headers.ts';

export type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';

/** How the body of a request is read. */
export type BodyRule =
  /** A JSON object of at most 1 MiB, or a text held in memory up to limit `maxJsonBytes`. */
  | {
      readonly kind: 'json';
      readonly schema: z.ZodObject;
      /** The field set by a `text/plain` body; the others then come from the query. */
      readonly textField?: string;
    }
  /** Files by multipart or as the raw body, or workspace paths in JSON; with them the fields of `schema`. */
  | {
      readonly kind: 'files';
      readonly schema: z.ZodObject;
      /** Default: limit `maxFilesPerRequest`. */
      readonly maxFiles?: number;
    }
  /** JSON that another process parses and checks: its bytes, held in memory up to limit `maxJsonBytes`. */
  | { readonly kind: 'unparsed'; readonly schema: z.ZodObject }
  /** Bytes as a counted stream. */
  | {
      readonly kind: 'stream';
      /** Accepted media types. Default: any. */
      readonly types?: readonly string[];
    };

type BodyOf<B extends BodyRule | undefined> = B extends { kind: 'unparsed' }
  ? Uint8Array
  : B extends {
        kind: 'json';
        schema: infer S extends z.ZodType;
        textField?: string;
      }
    ? z.output<S>
    : B extends { kind: 'files'; schema: infer S extends z.ZodType }
      ? Uploads<z.output<S>>
      : B extends { kind: 'stream' }
        ? AsyncIterable<Uint8Array>
        : undefined;

/** A validated request. */
export interface Call<P, Q, B, H extends RequestHeader> {
  readonly identity: Identity;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The headers the operation declares. */
  readonly headers: Readonly<Record<H, string | undefined>>;
  readonly accept: string | undefined;
  /** Media type of the body, without parameters. */
  readonly contentType: string | undefined;
  /** Aborts when the client disconnects or the service shuts down. */
  readonly signal: AbortSignal;
}

/** The answer of an operation. `body` is sent unchanged, or as JSON if it is any other object. */
export interface Reply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string | Uint8Array | NodeJS.ReadableStream;
  /** Media type of a text, bytes or a stream. */
  readonly type?: string;
  /** Metric label for the result of the work, from a closed set. Default: by the status. */
  readonly outcome?: string;
}

/** One kind of answer in the OpenAPI document. */
export interface Answer {
  readonly description: string;
  /** By media type; undefined for content without a schema. */
  readonly content?: Readonly<Record<string, z.ZodType | undefined>>;
}

export interface Definition<
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends BodyRule | undefined,
  H extends RequestHeader = RequestHeader,
> {
  /** camelCase; label of metrics and logs, and `operationId` in OpenAPI. */
  readonly id: string;
  readonly method: Method;
  /** In OpenAPI syntax; a name ending with `*` takes the rest of the path. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly tag: string;
  /** The scope a key needs; null for public operations. */
  readonly scope: Scope | null;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Request headers it uses. */
  readonly headers?: readonly H[];
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses of its errors, besides those of every operation of its kind. */
  readonly problems?: Readonly<Record<number, string>>;
  run(
    call: Call<
      P extends z.ZodType ? z.output<P> : undefined,
      Q extends z.ZodType ? z.output<Q> : undefined,
      BodyOf<B>,
      H
    >,
  ): Promise<Reply>;
}

/** An operation whose types are checked where it is defined, then erased. */
export interface Operation extends Omit<Definition<z.ZodObject, z.ZodObject, BodyRule>, 'run'> {
  run(call: Call<unknown, unknown, unknown, RequestHeader>): Promise<Reply>;
}

/** Checks that `run` uses only what the schemas provide. */
export function operation<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends BodyRule | undefined = undefined,
  H extends RequestHeader = never,
>(definition: Definition<P, Q, B, H>): Operation {
  // The app passes `run` values parsed by these schemas.
  return definition as unknown as Operation;
}
