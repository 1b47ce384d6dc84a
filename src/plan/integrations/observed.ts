// Records a call from inside a framework, where an error of the guard's storage must not cost the result of the tool.

import type { CallWatch, LoopWarning } from '../loops/guard.ts';
import type { FinishedCall } from '../loops/step.ts';

/** The warning of the guard; undefined if there is none or its storage failed. */
export async function observed(watch: CallWatch, call: FinishedCall): Promise<LoopWarning | undefined> {
  try {
    return await watch.observe(call);
  } catch {
    return undefined;
  }
}
