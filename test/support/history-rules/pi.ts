// The pairs of a pi session: its messages go through that agent's own converters, which see to the rest.

import { brief, filled, list, shape } from './shape.ts';

/**
 * Findings about calls and results; none when every call has one result after it and every result its call. Source: messages
 * in session files of badlogic/pi-mono (`toolCall` parts of the assistant, `toolResult` messages), bare or in entries.
 */
export function judge(messages: readonly unknown[]): string[] {
  const findings: string[] = [];
  const open = new Set<string>();
  const answered = new Set<string>();
  messages.forEach((native, at) => {
    const entry = shape(native);
    const { role, content, toolCallId } = entry['type'] === 'message' ? shape(entry['message']) : entry;
    const add = (text: string): number => findings.push(`message ${at}: ${text}`);
    if (role === 'assistant')
      for (const part of list(content).map(shape)) {
        if (part['type'] !== 'toolCall') continue;
        const { id } = part;
        if (!filled(id)) add('a call without id');
        else if (open.has(id) || answered.has(id)) add(`second call ${brief(id)}`);
        else open.add(id);
      }
    if (role === 'toolResult') {
      const id = String(toolCallId);
      if (answered.has(id)) add(`second result of ${brief(id)}`);
      else if (!open.delete(id)) add(`result of ${brief(id)} without its call before it`);
      answered.add(id);
    }
  });
  for (const id of open) findings.push(`end: no result of ${brief(id)}`);
  return findings;
}
