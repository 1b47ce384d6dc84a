// Progress notifications of a call: only if the client asked for them, only increasing, and never after the answer.

import type { ServerContext } from '@modelcontextprotocol/server';

/** Progress of some work, in its own unit. */
export interface Report {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Minimum time between two notifications of one call. */
const INTERVAL_MS = 250;

/** Runs `work` and sends its reports to the client. `report` is undefined if nobody listens. */
export async function withProgress<T>(
  { mcpReq }: ServerContext,
  work: (report: ((report: Report) => void) | undefined) => Promise<T>,
): Promise<T> {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return work(undefined);
  let last = Number.NEGATIVE_INFINITY;
  let told = Number.NEGATIVE_INFINITY;
  let over = false;
  const report = ({ progress, total, message }: Report): void => {
    const now = performance.now();
    if (over || mcpReq.signal.aborted || progress <= last || now - told < INTERVAL_MS) return;
    last = progress;
    told = now;
    const params = {
      progressToken: token,
      progress,
      // If the total was exceeded, it was an estimate.
      ...(total !== undefined && total >= progress && { total }),
      ...(message !== undefined && { message }),
    };
    // A client that has gone needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  try {
    return await work(report);
  } finally {
    over = true;
  }
}
