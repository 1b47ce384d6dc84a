// One span per request, in the trace named by the caller (W3C Trace Context). Spans are recorded if OpenTelemetry is
// configured by its own variables; the ids are logged either way.

import type { IncomingHttpHeaders } from 'node:http';
import type { Span as OtelSpan } from '@opentelemetry/api';
import { loadOptional } from '../contract/index.ts';

export interface Span {
  /** 32 hex digits; undefined with neither a caller's trace nor a recorder. */
  readonly traceId: string | undefined;
  end(facts: { readonly status: number; readonly outcome: string; readonly user: string }): void;
}

export interface Tracing {
  start(operation: string, method: string, headers: IncomingHttpHeaders): Span;
  /** Flushes pending spans. */
  close(): Promise<void>;
}

const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
];

/** @throws {ReaderError} MISSING_DEPENDENCY if tracing is configured but OpenTelemetry is not installed */
export async function createTracing(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Tracing> {
  const configured = ENDPOINTS.some((name) => (environment[name] ?? 'none') !== 'none');
  if (!configured || environment['OTEL_SDK_DISABLED'] === 'true')
    return {
      start: (_operation, _method, headers) => ({ traceId: traceIdOf(headers), end: () => undefined }),
      close: () => Promise.resolve(),
    };
  const { api, sdk } = await loaded();
  const recorder = new sdk.NodeSDK({ serviceName: environment['OTEL_SERVICE_NAME'] ?? 'lectern' });
  recorder.start();
  const tracer = api.trace.getTracer('lectern');
  return {
    start: (operation, method, headers) => {
      const parent = api.propagation.extract(api.ROOT_CONTEXT, headers);
      const span = tracer.startSpan(
        operation,
        { kind: api.SpanKind.SERVER, attributes: { 'http.request.method': method } },
        parent,
      );
      return {
        traceId: span.spanContext().traceId,
        end: (facts) => finish(span, facts, api.SpanStatusCode.ERROR),
      };
    },
    close: () => recorder.shutdown(),
  };
}

function finish(span: OtelSpan, { status, outcome, user }: Parameters<Span['end']>[0], error: number): void {
  span.setAttributes({ 'http.response.status_code': status, 'lectern.outcome': outcome, 'user.id': user });
  if (status >= 500) span.setStatus({ code: error });
  span.end();
}

/** `traceparent`: version, trace id, parent id, flags; an id of zeros is not one. */
function traceIdOf({
  traceparent,
}: IncomingHttpHeaders & { readonly traceparent?: string }): string | undefined {
  const id = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(traceparent ?? '')?.[1];
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}

async function loaded(): Promise<{
  readonly api: typeof import('@opentelemetry/api');
  readonly sdk: typeof import('@opentelemetry/sdk-node');
}> {
  const [api, sdk] = await loadOptional('tracing', 'Tracing, which `OTEL_*` variables ask for,', () =>
    Promise.all([import('@opentelemetry/api'), import('@opentelemetry/sdk-node')]),
  );
  return { api, sdk };
}
