// A path that answers by itself, with the bare request and response: MCP has a protocol of its own over HTTP.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity, Scope } from '../identity.ts';

export interface Mount {
  /** Label of metrics and logs. */
  readonly id: string;
  /** As of an operation. */
  readonly path: `/${string}`;
  readonly scope: Scope;
  readonly summary: string;
  /** Media types that a POST takes. */
  readonly requests: readonly string[];
  /** Media types that it answers with. */
  readonly answers: readonly string[];
  /** Refuses a path before the exchange begins. @throws {ReaderError} */
  check(identity: Identity, params: Readonly<Record<string, string>>): void;
  /** Settles when the exchange is over. The body has not been read. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity,
    params: Readonly<Record<string, string>>,
  ): Promise<void>;
}
