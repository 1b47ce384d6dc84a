// Types of failing-saves.mjs for tests in TypeScript.

import type { ServiceCase } from './cases.d.mts';

export function failingSaves(rounds: number): ServiceCase['run'];
