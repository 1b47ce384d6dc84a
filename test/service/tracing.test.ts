// Traces of the service without OpenTelemetry. Recorded traces are tested in test/integrations.

import { describe, expect, it } from 'vitest';
import { createTracing } from '../../src/service/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const HEADERS = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };

describe('tracing', () => {
  it('records nothing without configuration, and logs the caller’s trace id', async () => {
    const tracing = await createTracing({});
    expect(tracing.start('read', 'POST', HEADERS).traceId).toBe(TRACE);
    expect(tracing.start('read', 'POST', {}).traceId).toBeUndefined();
    expect(
      tracing.start('read', 'POST', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }).traceId,
    ).toBe(undefined);
    await tracing.close();
  });
});
