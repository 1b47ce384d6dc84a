// The list of formats lectern reads; each is one file or folder beside this one.

import type { Processor } from '../src/contract/index.ts';
import { code, markdown, text } from './text/text.ts';

export const PROCESSORS: readonly Processor[] = [text, code, markdown];
