// What a system prompt says of compaction: only of tools that there are, and nothing of files that cannot be reached.

import { expect, it } from 'vitest';
import { historyPromptSegment } from '../../src/history/index.ts';

const ALL = ['read_file', 'search_files', 'find_files'];

it('names the tools that there are, and no others', () => {
  for (let set = 0; set < 8; set += 1) {
    const tools = ALL.filter((_, bit) => set & (1 << bit));
    const text = historyPromptSegment({ tools: [...tools, 'bash', 'write_file'] });
    for (const name of ALL) expect(text.includes(`\`${name}\``)).toBe(tools.includes(name));
    expect(text).not.toMatch(/bash|write_file/);
    expect(text.includes('/workspace/conversation_history')).toBe(tools.length > 0);
    expect(text.includes('cannot be read again')).toBe(tools.length === 0);
  }
});

it('names no file where files cannot be reached', () => {
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

    This conversation may be longer than you can see at once. Texts that begin with \`[history: \` stand for parts of it that were left out to make room; the first line says what is missing and how large it was. They are notes about the conversation: do not repeat them, and do not write such texts yourself. What follows such a line about earlier messages is what is known of them.

    The originals are kept in \`/workspace/conversation_history/\` (messages) and \`/workspace/tool_outputs/\` (long results of tools). After \`full text: \` such a line names the file, and the lines in it.
    - To see an original, call \`read_file\` with that path, and the lines as \`lines\`, such as \`120-420\`. Without lines named, read the file from its start. Of a path that ends in \`.json#3\` it is the third message of that file: call it with the path without \`#3\`, and \`/messages/2/message\` as \`pointer\`.
    - To find something that was said or seen earlier, call \`search_files\` with a word of it and the path \`/workspace/conversation_history\` or \`/workspace/tool_outputs\`.
    - To list what is kept, call \`find_files\` with the pattern \`conversation_history/**/*.md\` or \`tool_outputs/**/*.txt\`.
    Read only what the work at hand needs."
  `);
});

it('refuses what is no option', () => {
  // A misspelt option, as a caller without types may give.
  expect(() => historyPromptSegment({ tool: [] } as never)).toThrow('`tool`');
});
