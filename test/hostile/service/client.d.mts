// Types of client.mjs for tests in TypeScript.

import type { IncomingHttpHeaders } from 'node:http';
import type { RunningProcess } from './process.d.mts';

export function ask(
  service: RunningProcess | undefined,
  request: {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
  },
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }>;
