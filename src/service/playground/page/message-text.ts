// A message of any provider as a reader wants to see it: its words, calls and results without the wrapping.

type Fields = Readonly<Record<string, unknown>>;

/** Fields that hold what was said, in the order of the formats that have several. */
const SAID = ['content', 'parts', 'text', 'output', 'thinking', 'summary', 'result', 'response'];
/** Fields that hold a call. */
const CALLS = ['tool_calls', 'functionCall', 'functionResponse', 'function'];

/** Words, calls as `name(arguments)`, results as text; JSON for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n');
  if (typeof value !== 'object' || value === null) return value === undefined ? '' : String(value);
  const fields: Fields = { ...value };
  const call = callIn(fields);
  if (call !== null) return call;
  const pieces = [...SAID, ...CALLS].map((name) => textOf(fields[name] ?? '')).filter((text) => text !== '');
  return pieces.length > 0 || isEmpty(fields) ? pieces.join('\n') : JSON.stringify(value);
}

function callIn(fields: Fields): string | null {
  const name = fields['name'] ?? fields['toolName'];
  const given = fields['arguments'] ?? fields['input'] ?? fields['args'];
  if (typeof name !== 'string' || given === undefined) return null;
  return `${name}(${typeof given === 'string' ? given : JSON.stringify(given)})`;
}

/** A message that says nothing, as beside its calls. */
const isEmpty = (fields: Fields): boolean =>
  SAID.some((name) => fields[name] === '' || fields[name] === null);
