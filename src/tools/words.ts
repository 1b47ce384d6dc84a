// What the reader and the workspace say, in the words of a tool call: they name the options of the library. The only
// place where one becomes the other.

/** Phrases with an option of the library, and the same with an argument of the tools. */
const PHRASES: readonly (readonly [library: string, tool: string])[] = [
  ['`maxTokens`', '`max_tokens`'],
  ['Set `ignore` to false', 'Set `include_ignored` to true'],
  ['`truncation.next.cursor` of the previous answer', 'the cursor of the answer before'],
  ['`next` of the previous answer', 'the cursor of the answer before'],
  ['Convert it to a format that `lectern formats` lists, or read another file.', 'Read another file.'],
  [', or read it in pieces with `stream` or `lectern read --all`', ''],
];

/** A message, hint or note of the library for a model. Lines after the first are content of a file and stay. */
export function inToolWords(text: string): string {
  const end = text.indexOf('\n');
  const [said, content] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  return PHRASES.reduce((words, [library, tool]) => words.replaceAll(library, tool), said) + content;
}
