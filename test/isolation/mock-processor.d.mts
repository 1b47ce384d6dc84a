import type { Processor } from '../../src/contract/index.ts';

export declare const MOCK: Processor;
