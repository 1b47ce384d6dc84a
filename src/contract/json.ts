// Answers as JSON, where they leave the process.

import { strictJson } from './text.ts';

/** `value` as strict JSON, bytes as base64. `indent`: spaces of each level; none puts it on one line. */
export function jsonWithBytes(value: unknown, indent?: number): string {
  // A Buffer makes an array of numbers of itself before a replacer sees it: what it was is in its holder.
  const replace = function (this: unknown, key: string, entry: unknown): unknown {
    const before: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : entry;
    return before instanceof Uint8Array ? Buffer.from(before).toString('base64') : entry;
  };
  return strictJson(JSON.stringify(value, replace, indent));
}
