// Summarises a tool call for a plan.

import { oneLine, safeCut } from '../contract/index.ts';
import type { FinishedCall } from './loops/step.ts';
import type { PlanAction } from './tree.ts';

const MAX_TARGET = 120;
const MAX_OUTCOME = 200;

/** The call as an action of the plan. */
export function actionOf({ tool, args, result, failed = false }: FinishedCall): PlanAction {
  return {
    tool: shortened(tool, MAX_TARGET),
    target: shortened(targetOf(args), MAX_TARGET),
    failed,
    outcome: outcomeIn(typeof result === 'string' ? result : jsonOf(result)),
  };
}

/** A result on one line of at most 200 characters. */
export function outcomeIn(text: string): string {
  return shortened(text, MAX_OUTCOME);
}

/** What a call works on: its path, command or pattern, else its arguments. */
function targetOf(args: unknown): string {
  if (typeof args === 'object' && args !== null)
    for (const name of ['path', 'file_path', 'filePath', 'command', 'cmd', 'pattern', 'query', 'url']) {
      const value: unknown = Reflect.get(args, name);
      if (typeof value === 'string') return value;
      if (Array.isArray(value)) return value.join(' ');
    }
  return typeof args === 'string' ? args : jsonOf(args);
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `(${typeof value})`;
  }
}

function shortened(text: string, max: number): string {
  const line = oneLine(text.slice(0, 4 * max)).trim();
  return line.length <= max ? line : `${line.slice(0, safeCut(line, max - 1))}…`;
}
