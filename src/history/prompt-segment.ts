// What a system prompt says of compaction: what placeholders stand for, and how to get at the originals with the tools an
// agent has. Only says; nothing is looked up.

import { checkOptions, type OptionNames } from '../contract/index.ts';

export interface PromptSegmentOptions {
  /** Names of the agent's tools. `read_file`, `search_files`, `find_files` and `recall` are lectern's own, and explained; others are not named. */
  readonly tools: readonly string[];
  /**
   * Whether these tools reach the files that placeholders name: the compactor's `storage` is their workspace. Default true;
   * without it, or without tools for files, the text says that what is left out cannot be read again.
   */
  readonly reachable?: boolean;
  /** Where the agent's tools see the storage. Default `/workspace`. */
  readonly mount?: string;
}

const NAMES: OptionNames<PromptSegmentOptions> = { tools: true, reachable: true, mount: true };

const MEANING =
  'This conversation may be longer than you can see at once. Texts that begin with `[history: ` stand for parts of it that were left out to make room; the first line says what is missing and how large it was. They are notes about the conversation: do not repeat them, and do not write such texts yourself. What follows such a line about earlier messages is what is known of them.';

/**
 * A segment for the system prompt: plain text without a line break at its end. Same options, same text.
 * @throws {ReaderError} BAD_INPUT for an unknown option
 */
export function historyPromptSegment(options: PromptSegmentOptions): string {
  checkOptions('historyPromptSegment', options, NAMES);
  const { tools, reachable = true, mount = '/workspace' } = options;
  const names = new Set(tools);
  const folder = mount.replace(/\/+$/, '');
  const files = reachable ? waysOf(names, folder) : [];
  const ways = names.has('recall') ? [...files, RECALL] : files;
  const recovery =
    files.length > 0
      ? [
          `The originals are kept in \`${folder}/conversation_history/\` (messages) and \`${folder}/tool_outputs/\` (long results of tools). After \`full text: \` such a line names the file, and the lines in it.`,
          ...ways.map((way) => `- ${way}`),
          'Read only what the work at hand needs.',
        ]
      : ways.length > 0
        ? ways.map((way) => `- ${way}`)
        : [
            'What they stand for cannot be read again. If a detail of it is needed, get it from where it came, or ask the user; do not guess.',
          ];
  return ['# Earlier parts of this conversation', '', MEANING, '', ...recovery].join('\n');
}

const RECALL =
  'To find what was said or seen earlier by its names, paths or words, call `recall`; it gives the passages that match best.';

function waysOf(names: ReadonlySet<string>, folder: string): string[] {
  const ways: string[] = [];
  if (names.has('read_file'))
    ways.push(
      'To see an original, call `read_file` with that path, and the lines as `lines`, such as `120-420`. Without lines named, read the file from its start. Of a path that ends in `.json#3` it is the third message of that file: call it with the path without `#3`, and `/messages/2/message` as `pointer`.',
    );
  if (names.has('search_files'))
    ways.push(
      `To find something that was said or seen earlier, call \`search_files\` with a word of it and the path \`${folder}/conversation_history\` or \`${folder}/tool_outputs\`.`,
    );
  if (names.has('find_files'))
    ways.push(
      'To list what is kept, call `find_files` with the pattern `conversation_history/**/*.md` or `tool_outputs/**/*.txt`.',
    );
  return ways;
}
