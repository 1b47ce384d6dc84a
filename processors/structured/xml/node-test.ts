// XML element names as path steps.

import type { BodyToken } from './token-kinds.ts';

const MAX_PATH = 300;

export const NODE_TESTS: Readonly<Record<BodyToken['kind'], string>> = {
  text: 'text()',
  cdata: 'text()',
  comment: 'comment()',
  instruction: 'processing-instruction()',
};

/** `name`, or `name[2]` for the second of that name. */
export function stepOf(name: string, names: Map<string, number>): string {
  const number = (names.get(name) ?? 0) + 1;
  names.set(name, number);
  return number === 1 ? name : `${name}[${number}]`;
}

/** `path/step`, shortened in the middle if it is long. */
export function extendPath(path: string, step: string): string {
  const joined = `${path}/${step}`;
  return joined.length <= MAX_PATH ? joined : `${joined.slice(0, MAX_PATH / 2)}…/${step.slice(0, 100)}`;
}
