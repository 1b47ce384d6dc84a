// Records every request: metrics, a span, and one log line.

import type { FastifyRequest } from 'fastify';
import type { ReaderError } from '../../index.ts';
import type { Identity } from '../identity.ts';
import type { Tracing } from '../tracing.ts';
import type { Metrics } from './metrics.ts';
import type { Operation } from './operation.ts';
import type { Work } from './work.ts';

export interface RecordOptions {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: AppLog;
  readonly work: Work;
}

/** One line per request; never content, names, queries or keys. */
export interface AppLog {
  info(line: Readonly<Record<string, unknown>>, message: string): void;
  /** An internal error in lectern: `err` is for debugging, and never sent to a client. */
  error(line: Readonly<Record<string, unknown>>, message: string): void;
}

/** Facts about a request once it has been answered. */
interface Answered {
  readonly identity: Identity;
  readonly status: number;
  readonly outcome: string;
  readonly fault: ReaderError | undefined;
}

/** Starts the clock and the span of a request. Call the returned function once, at the end. */
export function begin(
  { id: operation, scope }: Pick<Operation, 'id' | 'scope'>,
  { metrics, log, tracing, work }: RecordOptions,
  { id: requestId, method, headers }: FastifyRequest,
): (answered: Answered) => void {
  const started = performance.now();
  const end = scope === null ? undefined : work.begin();
  const span = tracing.start(operation, method, headers);
  return ({ identity: { user, keyId }, status, outcome, fault }) => {
    end?.();
    const seconds = (performance.now() - started) / 1000;
    metrics.answered(operation, status, outcome, seconds);
    span.end({ status, outcome, user });
    const line = {
      requestId,
      operation,
      status,
      outcome,
      milliseconds: Math.round(seconds * 1000),
      user,
      ...(keyId !== null && { keyId }),
      ...(span.traceId !== undefined && { traceId: span.traceId }),
    };
    if (fault?.code === 'INTERNAL') log.error({ ...line, err: fault.cause ?? fault }, 'fault');
    else log.info(line, 'request');
  };
}
