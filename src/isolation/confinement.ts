// Additional confinement of a child process, as far as the system supports it: a network namespace without interfaces,
// and a signal that kills it with its parent. Detected once per process.

import { execFile } from 'node:child_process';

/** The available confinement. */
export interface Confinement {
  /** Command prefix. */
  readonly wrapper: readonly string[];
  /** `removed`: a child sees no network, not even the loopback interface. */
  readonly network: 'removed' | 'available';
}

/** User and network namespaces of util-linux or BusyBox. Without `-r`: a mapped root would keep its capabilities. */
const WITHOUT_NETWORK = ['unshare', '-Un', '--'] as const;
/**
 * A child in an endless loop does not notice that its channel closed, so the kernel kills it with its parent. From
 * util-linux.
 */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'] as const;
const TRIAL_MS = 2000;

let known: Promise<Confinement> | undefined;

/** What works on this system. */
export function confinement(): Promise<Confinement> {
  known ??= probe();
  return known;
}

async function probe(): Promise<Confinement> {
  if (process.platform !== 'linux') return { wrapper: [], network: 'available' };
  const [removed, bound] = await Promise.all([works(WITHOUT_NETWORK), works(WITH_PARENT)]);
  // In this order, because changing the namespace clears the signal.
  return {
    wrapper: [...(removed ? WITHOUT_NETWORK : []), ...(bound ? WITH_PARENT : [])],
    network: removed ? 'removed' : 'available',
  };
}

function works([program, ...given]: readonly [string, ...string[]]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, [...given, 'true'], { timeout: TRIAL_MS, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null),
    );
  });
}
