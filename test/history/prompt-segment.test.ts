// System prompt text about compaction: mentions only available tools, and no files that cannot be reached.

import { expect, it } from 'vitest';
import { historyPromptSegment } from '../../src/history/index.ts';

const ALL = ['read_file', 'search_files', 'find_files'];

it('names exactly the available tools', () => {
  for (let set = 0; set < 8; set += 1) {
    const tools = ALL.filter((_, bit) => set & (1 << bit));
    const text = historyPromptSegment({ tools: [...tools, 'bash', 'write_file'] });
    for (const name of ALL) expect(text.includes(`\`${name}\``)).toBe(tools.includes(name));
    expect(text).not.toMatch(/bash|write_file/);
    expect(text.includes('/workspace/conversation_history')).toBe(tools.length > 0);
    expect(text.includes('cannot be read again')).toBe(tools.length === 0);
  }
});

it('names no file if files cannot be reached', () => {
  const text = historyPromptSegment({ tools: ALL, reachable: false });
  expect(text).toContain('cannot be read again');
  expect(text).not.toMatch(/read_file|conversation_history|full text/);
});

it('is the same for the same options, in any order of tools', () => {
  expect(historyPromptSegment({ tools: [...ALL].reverse() })).toBe(historyPromptSegment({ tools: ALL }));
  expect(historyPromptSegment({ tools: ALL, mount: '/srv/files/' })).toContain(
    '/srv/files/conversation_history/',
  );
  expect(historyPromptSegment({ tools: ALL })).toMatchInlineSnapshot(`
    "# Earlier parts of this conversation

    This conversation may be longer than what you see. Texts that begin with \`[history: \` mark parts that were removed to make room; the first line says what was removed and how large it was. They are notes about the conversation: do not repeat them or write such texts yourself. The text after a line about earlier messages summarizes those messages.

    The originals are kept in \`/workspace/conversation_history/\` (messages) and \`/workspace/tool_outputs/\` (long tool results). The first line names the file and its line range after \`full text: \`.
    - To see an original, call \`read_file\` with that path and the line range as \`lines\`, such as \`120-420\`. If no range is given, read from the start of the file. A path that ends in \`.json#3\` is the third message of that file: pass the path without \`#3\`, and \`/messages/2/message\` as \`pointer\`.
    - To find something said or seen earlier, call \`search_files\` with a word from it and the path \`/workspace/conversation_history\` or \`/workspace/tool_outputs\`.
    - To list the kept files, call \`find_files\` with the pattern \`conversation_history/**/*.md\` or \`tool_outputs/**/*.txt\`.
    Read only what the current task needs."
  `);
});

it('rejects an unknown option', () => {
  // A misspelt option from an untyped caller.
  expect(() => historyPromptSegment({ tool: [] } as never)).toThrow('`tool`');
});
