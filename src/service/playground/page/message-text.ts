// Formats a message of any provider for display: text, calls and results without the JSON around them.

type Fields = Readonly<Record<string, unknown>>;

/** Fields that hold text, by precedence. */
const SAID = ['content', 'parts', 'text', 'output', 'thinking', 'summary', 'result', 'response'];
/** Fields that hold a tool call. */
const CALLS = ['tool_calls', 'functionCall', 'functionResponse', 'function'];

/** Text as is, calls as `name(arguments)`, results as text; JSON for anything else. */
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

/** Content that is empty, as in a message that only makes calls. */
const isEmpty = (fields: Fields): boolean =>
  SAID.some((name) => fields[name] === '' || fields[name] === null);
