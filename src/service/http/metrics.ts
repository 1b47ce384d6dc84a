// Prometheus metrics: counters, durations and gauges, with labels from closed sets only.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  answered(operation: string, status: number, outcome: string, seconds: number): void;
  /** Passes chunks on and counts their bytes. */
  counted(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** A counter with this name and the ending `_total`; call it to add one. */
  counter(name: string, help: string): () => void;
  /** A gauge read when Prometheus scrapes. */
  level(name: string, help: string, read: () => number | Promise<number>): void;
  /** Gauges of one kind, by a label. */
  levels(name: string, help: string, label: string, read: () => Levels | Promise<Levels>): void;
  text(): Promise<{ readonly type: string; readonly text: string }>;
}

/** By the value of the label. */
type Levels = Readonly<Record<string, number>>;

/** Uses its own registry, so that two services in one process do not interfere. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'lectern_' });
  const registers = [registry];
  const requests = new Counter({
    name: 'lectern_requests_total',
    help: 'Requests answered, by operation, status and outcome (`ok` or an error code).',
    labelNames: ['operation', 'status', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'lectern_request_seconds',
    help: 'Time from the headers of a request to the end of its work.',
    labelNames: ['operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const received = new Counter({ name: 'lectern_received_bytes_total', help: 'Bytes of bodies.', registers });
  return {
    answered: (operation, status, outcome, took) => {
      requests.inc({ operation, status: String(status), outcome });
      seconds.observe({ operation }, took);
    },
    counted: async function* (chunks) {
      for await (const chunk of chunks) {
        received.inc(chunk.length);
        yield chunk;
      }
    },
    counter: (name, help) => {
      const counter = new Counter({ name: `lectern_${name}_total`, help, registers });
      return () => counter.inc();
    },
    level: (name, help, read) => {
      new Gauge({
        name: `lectern_${name}`,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    levels: (name, help, label, read) => {
      new Gauge({
        name: `lectern_${name}`,
        help,
        labelNames: [label],
        registers,
        async collect() {
          for (const [value, level] of Object.entries(await read())) this.set({ [label]: value }, level);
        },
      });
    },
    text: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
