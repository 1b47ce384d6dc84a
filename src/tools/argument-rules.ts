// What a tool says of its arguments, and what a call gave.

import type { z } from 'zod';
import { ReaderError } from '../contract/index.ts';

/** One argument as it was given. */
export interface Given {
  readonly value: unknown;
  /** As the model wrote its name. */
  readonly as: string;
}

/** Arguments under their canonical names, or under the snake_case of what was written where that is no argument. */
export type Draft = Map<string, Given>;

/** What of a tool's definition its arguments are understood by. */
export interface ArgumentRules {
  readonly input: z.ZodObject;
  readonly readOnly: boolean;
  /** Other names, in snake_case, and the argument each stands for. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The argument that a bare text in place of an object stands for. */
  readonly main: string;
  /** Arguments that may be empty, and that take an object or a list as its JSON. */
  readonly contents?: readonly string[];
  /** Brings compound forms (`offset` and `limit`) to arguments. @throws {ReaderError} BAD_INPUT */
  readonly arrange?: (draft: Draft) => void;
}

export function bad(message: string, hint: string): ReaderError {
  return new ReaderError('BAD_INPUT', message, hint);
}

/** `` `path`, `lines` ``. */
export function listed(names: Iterable<string>): string {
  return [...names].map((name) => `\`${name}\``).join(', ');
}
