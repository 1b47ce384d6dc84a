// Serialises answers as JSON.

import { strictJson } from './text.ts';

/** `value` as strict JSON, with bytes as base64. `indent`: spaces per level; none writes a single line. */
export function jsonWithBytes(value: unknown, indent?: number): string {
  // A Buffer has become an array of numbers before the replacer sees it; its holder still has the original.
  const replace = function (this: unknown, key: string, entry: unknown): unknown {
    const before: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : entry;
    return before instanceof Uint8Array ? Buffer.from(before).toString('base64') : entry;
  };
  return strictJson(JSON.stringify(value, replace, indent));
}
