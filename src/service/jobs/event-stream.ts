// The progress of a job as server-sent events (HTML standard, section 9.2), resumable after any event.

import { pause } from './pause.ts';
import type { Job, JobQueue } from './queue.ts';

/** Comments keep proxies from closing a quiet connection; most wait 30 to 60 s. */
const KEEP_ALIVE_MS = 15_000;

/** Interval for noticing the work of other nodes. */
const POLL_MS = 1000;

const PAGE = 100;

export interface EventStreamOptions {
  readonly user: string;
  readonly id: string;
  /** `seq` of the last event the client has; 0 for all. */
  readonly after: number;
  /** Ends the stream; the client resumes at another instance. */
  readonly signal: AbortSignal;
  readonly keepAliveMs?: number;
}

/**
 * `item` for each finished file, `progress` when the counts change, and `done`, which ends the stream. `item` and
 * `done` carry an id. Also ends when the job expires.
 */
export async function* eventStream(
  queue: JobQueue,
  { user, id, after, signal, keepAliveMs = KEEP_ALIVE_MS }: EventStreamOptions,
): AsyncGenerator<string> {
  let seq = after;
  let shown = '';
  let silentSince = performance.now();
  while (!signal.aborted) {
    const round = new AbortController();
    const either = AbortSignal.any([signal, round.signal]);
    const change = queue.changed(either); // before the check, so that no change is missed
    try {
      const events = await queue.events(user, id, { after: seq, limit: PAGE });
      const job = await queue.get(user, id);
      let text = '';
      for (const event of events) {
        seq = event.seq;
        if (event.type === 'item') text += eventText('item', event, seq);
      }
      const progress = job && JSON.stringify(progressOf(job));
      if (progress !== undefined && progress !== shown) text += eventText('progress', progress);
      shown = progress ?? shown;
      const done = events.at(-1)?.type === 'done' || job === undefined;
      if (done) text += eventText('done', job && shownJob(job), seq);
      if (text === '' && performance.now() - silentSince >= keepAliveMs) text = ': keep-alive\n\n';
      if (text !== '') {
        silentSince = performance.now();
        yield text;
      }
      if (done) return;
      if (events.length === 0) await Promise.race([change, pause(Math.min(POLL_MS, keepAliveMs), either)]);
    } finally {
      round.abort();
    }
  }
}

const progressOf = ({ status, counts, bytes }: Job) => ({ status, counts, bytes });

/** A job as its owner sees it. */
export function shownJob({ user: _user, ...job }: Job): Omit<Job, 'user'> {
  return job;
}

/** JSON contains no line breaks, so one `data` line is enough. */
function eventText(type: string, data: unknown, seq?: number): string {
  const id = seq === undefined ? '' : `id: ${seq}\n`;
  return `event: ${type}\n${id}data: ${typeof data === 'string' ? data : JSON.stringify(data ?? null)}\n\n`;
}
