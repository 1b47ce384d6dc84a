// JSON: the number of items or keys, and their names and types.

import { plural } from '../../../contract/index.ts';
import { listed, type Template } from './template.ts';

/** Longer texts are not parsed, to save time. */
const LONGEST = 2_000_000;
const MOST_KEYS = 20;

/** The value of a JSON array or object; undefined for any other text. */
export function parsed(text: string): unknown {
  const plain = text.trim();
  if (plain.length > LONGEST || !/^[[{]/.test(plain)) return undefined;
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (value === null) return 'null';
  return typeof value;
}

export const jsonValue: Template = (text) => {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) {
    const keys = Object.entries(value).map(([name, one]) => `${name}: ${kindOf(one)}`);
    return [`JSON object with ${plural(keys.length, 'key')}:`, ...listed(keys, MOST_KEYS, 'key')];
  }
  const objects = value.filter((one: unknown): one is object => typeof one === 'object' && one !== null);
  const counts = new Map<string, number>();
  for (const one of objects)
    for (const name of Array.isArray(one) ? [] : Object.keys(one))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  const keys = [...counts].map(([name, count]) => `${name}: in ${count}`);
  return [
    `JSON array of ${plural(value.length, 'item')}${keys.length > 0 ? '; item keys:' : ''}`,
    ...listed(keys, MOST_KEYS, 'key'),
  ];
};
