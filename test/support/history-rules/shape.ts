// What a judge needs to look into a message of any shape without falling over it; no rule of a provider is here.

/** A message or part as properties; empty where it is none. */
export type Shape = Readonly<Record<string, unknown>>;

const NOTHING: Shape = {};

/** `value` as properties; none where it is no object or an array. */
export function shape(value: unknown): Shape {
  // An object that is no array is read by name only, and every property of it stays unknown.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Shape) : NOTHING;
}

/** `value` where it is a list, else nothing. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether `value` is a text of at least one character. */
export function filled(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0;
}

/** Whether `value` is an object that is no array. */
export function isShape(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `id` for a finding: long ones are cut. */
export function brief(id: unknown): string {
  return typeof id === 'string' && id.length > 40 ? `${id.slice(0, 40)}...` : String(id);
}

/** What a judge is: findings about a list of messages, none where a provider would take it. */
export type Judge = (messages: readonly unknown[]) => string[];
