// Rules for the arguments of a tool, and the arguments of a call.

import type { z } from 'zod';
import { ReaderError } from '../contract/index.ts';

/** One argument as passed. */
export interface Given {
  readonly value: unknown;
  /** The name as the model wrote it. */
  readonly as: string;
}

/** Arguments by canonical name, or by the snake_case form of an unknown name. */
export type Draft = Map<string, Given>;

/** The parts of a tool's definition needed to interpret its arguments. */
export interface ArgumentRules {
  readonly input: z.ZodObject;
  /** The arguments in the definition that a model gets, if not all of `input`. */
  readonly advertised?: z.ZodObject;
  readonly readOnly: boolean;
  /** Other names, in snake_case, mapped to the argument they mean. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The argument set by a bare string in place of an object. */
  readonly main: string;
  /** Arguments that may be empty, and that accept an object or a list as its JSON. */
  readonly contents?: readonly string[];
  /** Converts compound forms (`offset` and `limit`) to arguments. @throws {ReaderError} BAD_INPUT */
  readonly arrange?: (draft: Draft) => void;
}

/** The arguments in the definition, for an error. */
export const advertisedNames = ({ input, advertised = input }: ArgumentRules): string =>
  listed(Object.keys(advertised.shape));

export function bad(message: string, hint: string): ReaderError {
  return new ReaderError('BAD_INPUT', message, hint);
}

/** `` `path`, `lines` ``. */
export function listed(names: Iterable<string>): string {
  return [...names].map((name) => `\`${name}\``).join(', ');
}
