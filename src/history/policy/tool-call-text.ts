// Detects text that is a written-out tool call, as models produce when they cannot make a real one. Prose that quotes a
// call does not count.

const TAG =
  /^<[|\uff5c]?\/?(?:antml:)?(?:tool[_ \u2581]?calls?|function[_ \u2581]?calls?|invoke|tool_use|python_tag)\b/i;
const MARK =
  /^(?:\[TOOL_CALLS\]|<function=|<\|python_tag\|>|<\uff5ctool\u2581call|tool_code\b|functions\.\w+[:(])/i;
/** Keys that name the tool in provider formats. */
const CALLEE = ['name', 'tool', 'tool_name', 'toolName', 'function', 'function_name'];
const ARGUMENTS = ['arguments', 'args', 'input', 'parameters', 'tool_input', 'action_input'];
const MAX_JSON = 1_000_000;

/** Whether `text`, trimmed, consists of a call only. */
export function isToolCall(text: string): boolean {
  const bare = unfenced(text);
  if (TAG.test(bare) || MARK.test(bare)) return proseAfter(bare) === '';
  if (!/^[[{]/.test(bare) || bare.length > MAX_JSON) return false;
  try {
    const value: unknown = JSON.parse(bare);
    return Array.isArray(value) ? value.length > 0 && value.every(isCall) : isCall(value);
  } catch {
    return false;
  }
}

function isCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const has = (name: string): boolean => Object.hasOwn(value, name);
  return (
    has('tool_calls') ||
    has('function_call') ||
    (CALLEE.some(has) && (ARGUMENTS.some(has) || has('function')))
  );
}

/** The content of a single fence around the whole text. */
function unfenced(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 7) return text;
  const line = text.indexOf('\n');
  return line < 0 ? text : text.slice(line + 1, -3).trim();
}

/** Text after the call. Headings in it mean that a summary follows. */
function proseAfter(text: string): string {
  const at = text.search(/^#{1,6} /m);
  return at < 0 ? '' : text.slice(at);
}
