// Traces of the service: in the caller's trace, sent where OpenTelemetry's own variables say.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createTracing } from '../../../src/service/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const HEADERS = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
const ANSWERED = { status: 200, outcome: 'ok', user: 'ana' };

it('sends a span in the caller’s trace to the configured endpoint', async () => {
  const bodies: Buffer[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk)).on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo; // it listens on a port
  // OpenTelemetry reads the variables of the process itself.
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  };
  Object.assign(process.env, variables);
  try {
    const tracing = await createTracing(process.env);
    const span = tracing.start('read', 'POST', HEADERS);
    expect(span.traceId).toBe(TRACE);
    span.end(ANSWERED);
    await tracing.close();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    collector.close();
  }
  const sent = Buffer.concat(bodies);
  expect(sent.includes(Buffer.from(TRACE, 'hex'))).toBe(true);
  expect(sent.includes('lectern.outcome')).toBe(true);
});
