// Progress of a call as notifications: only where the client asked for it, only upwards, and never after the answer.

import type { ServerContext } from '@modelcontextprotocol/server';

/** How far work has come, in a unit of its own. */
export interface Report {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Least time between two notifications of one call. */
const INTERVAL_MS = 250;

/** Does `work`; what it reports goes to the client while it lasts. `report` is undefined where nobody listens. */
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
      // A total that is passed was an estimate.
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
