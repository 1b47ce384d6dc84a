// Commands that run until they are stopped.

/** Resolves at SIGTERM or SIGHUP, and at an interrupt. From then on, another signal ends the process at once. */
export function untilStopped(interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
        process.once(signal, () => process.exit(1));
      resolve();
    };
    if (interrupted.aborted) return stop();
    interrupted.addEventListener('abort', stop, { once: true });
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  });
}
