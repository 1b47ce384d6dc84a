// What a child process is wrapped in beside its limits, as far as this system has it: a network namespace without
// interfaces, and an end when its parent ends. Tried once per process.

import { execFile } from 'node:child_process';

/** How children are confined here. */
export interface Confinement {
  /** Put before the command. */
  readonly wrapper: readonly string[];
  /** A child sees no network, not even the loopback interface. */
  readonly network: 'removed' | 'available';
}

/** User and network namespaces of util-linux or BusyBox. Without `-r`: a mapped root would keep its capabilities. */
const WITHOUT_NETWORK = ['unshare', '-Un', '--'] as const;
/** A child that spins does not notice that its channel closed; the kernel ends it with its parent. util-linux. */
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
  // In this order: a change of namespace clears the signal.
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
