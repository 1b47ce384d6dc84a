// A path that handles the bare request and response itself: MCP has its own protocol over HTTP.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity, Scope } from '../identity.ts';

export interface Mount {
  /** Label of metrics and logs. */
  readonly id: string;
  /** As of an operation. */
  readonly path: `/${string}`;
  readonly scope: Scope;
  readonly summary: string;
  /** Media types accepted in a POST. */
  readonly requests: readonly string[];
  /** Media types of its answers. */
  readonly answers: readonly string[];
  /** Rejects a path before the exchange begins. @throws {ReaderError} */
  check(identity: Identity, params: Readonly<Record<string, string>>): void;
  /** Settles when the exchange is over. The body has not been read. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity,
    params: Readonly<Record<string, string>>,
  ): Promise<void>;
}
