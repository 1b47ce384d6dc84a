// Types of process.mjs for tests in TypeScript.

export interface RunningProcess {
  readonly url: string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  uploads(): readonly string[];
  end(): Promise<unknown>;
}

export function startProcess(options: {
  readonly dataDir: string;
  readonly limits?: Readonly<Record<string, number>>;
  readonly environment?: Readonly<Record<string, string>>;
}): Promise<RunningProcess>;
