// Writes a compacted conversation in the form of its file.

import { ReaderError } from '../index.ts';
import { type Conversation, WRITTEN_CHARACTERS } from './conversation.ts';

/** `messages` in the form of `conversation`, in chunks, without building the whole text in memory. */
export function* written(conversation: Conversation, messages: readonly unknown[]): Generator<string> {
  if (conversation.form === 'lines') return yield* asLines(conversation, messages);
  if (conversation.body === null) return yield* asList(messages, '', '\n');
  yield* asObject({ ...conversation.body, [conversation.field]: messages }, conversation.field);
}

/** An object as JSON, with the messages in its field `field`. */
export function* asObject(object: Readonly<Record<string, unknown>>, field: string): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(object)) {
    const json = key === field ? '' : indented(value, '  ');
    if (json === undefined) continue;
    yield `${before}\n  ${JSON.stringify(key)}: ${json}`;
    if (key === field) yield* asList(value as readonly unknown[], '  ', '');
    before = ',';
  }
  yield '\n}\n';
}

function* asList(messages: readonly unknown[], indent: string, end: string): Generator<string> {
  if (messages.length === 0) return yield `[]${end}`;
  let text = '[';
  for (const [index, message] of messages.entries()) {
    text += `${index === 0 ? '' : ','}\n${indent}  ${indented(message, `${indent}  `) ?? 'null'}`;
    if (text.length < WRITTEN_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield `${text}\n${indent}]${end}`;
}

/** A line break in JSON is always between values, because strings escape it. */
function indented(value: unknown, indent: string): string | undefined {
  try {
    return JSON.stringify(value, null, 2)?.replaceAll('\n', `\n${indent}`);
  } catch (error) {
    throw new ReaderError(
      'BAD_INPUT',
      'A message cannot be written: it is nested too deeply, or too long.',
      'Use JSON Lines, in which unchanged messages are copied.',
      error,
    );
  }
}

function* asLines({ lines }: Conversation, messages: readonly unknown[]): Generator<string> {
  let text = '';
  for (const message of messages) {
    text += `${lines.get(message) ?? JSON.stringify(message)}\n`;
    if (text.length < WRITTEN_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text;
}
