// Translates messages of the reader and the workspace for tool calls: replaces option names of the library with tool
// arguments. The only place that does.

/** Phrases naming a library option, and their tool counterparts. */
const PHRASES: readonly (readonly [library: string, tool: string])[] = [
  ['`maxTokens`', '`max_tokens`'],
  // Places that a path can end in.
  ['`section`', '`#section=`'],
  ['`table`', '`#table=`'],
  ['`comment`', '`#comment=`'],
  ['Set `ignore` to false', 'Set `include_ignored` to true'],
  ['`truncation.next.cursor` of the previous answer', 'the cursor of the previous answer'],
  ['`next` of the previous answer', 'the cursor of the previous answer'],
  ['Convert it to a format that `lectern formats` lists, or read another file.', 'Read another file.'],
  [', or read it in pieces with `stream` or `lectern read --all`', ''],
];

/**
 * A message, hint or note of the library, reworded for a model. Lines after the first are file content and stay
 * unchanged.
 */
export function inToolWords(text: string): string {
  const end = text.indexOf('\n');
  const [said, content] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  return PHRASES.reduce((words, [library, tool]) => words.replaceAll(library, tool), said) + content;
}
