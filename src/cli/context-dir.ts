// Locates the folder with an agent's plan, loops and archive.

import { resolve } from 'node:path';
import type { Option, Values } from './options.ts';

const USUAL = '.agent_context';

export const CONTEXT_DIR_OPTION: Option = {
  name: 'context-dir',
  value: 'DIR',
  help: `folder of the agent's state (default: ${USUAL})`,
};

/** As given, for messages. */
export function namedContextDir(values: Values): string {
  const given = values['context-dir'];
  return typeof given === 'string' ? given : USUAL;
}

/** An absolute path. */
export const contextDirFrom = (values: Values): string => resolve(namedContextDir(values));
