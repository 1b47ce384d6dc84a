// Text for a system prompt that explains placeholders and how to read the originals with the agent's tools. It does not
// look anything up.

import { checkOptions, type OptionNames, withoutEnd } from '../contract/index.ts';

export interface PromptSegmentOptions {
  /**
   * Names of the agent's tools. Only lectern's `read_file`, `search_files`, `find_files` and `recall` are explained.
   */
  readonly tools: readonly string[];
  /**
   * Whether these tools can read the files that placeholders name, because the compactor's `storage` is their
   * workspace. Default true. If false, or without file tools, the text says that removed content cannot be read again.
   */
  readonly reachable?: boolean;
  /** Path of the storage as the agent's tools see it. Default `/workspace`. */
  readonly mount?: string;
}

const NAMES: OptionNames<PromptSegmentOptions> = { tools: true, reachable: true, mount: true };

const MEANING =
  'This conversation may be longer than what you see. Texts that begin with `[history: ` mark parts that were removed to make room; the first line says what was removed and how large it was. They are notes about the conversation: do not repeat them or write such texts yourself. The text after a line about earlier messages summarizes those messages.';

/**
 * Returns a system prompt segment: plain text without a trailing line break. Deterministic.
 * @throws {ReaderError} BAD_INPUT for an unknown option
 */
export function historyPromptSegment(options: PromptSegmentOptions): string {
  checkOptions('historyPromptSegment', options, NAMES);
  const { tools, reachable = true, mount = '/workspace' } = options;
  const names = new Set(tools);
  const folder = withoutEnd(mount, '/');
  const files = reachable ? waysOf(names, folder) : [];
  const ways = names.has('recall') ? [...files, RECALL] : files;
  const recovery =
    files.length > 0
      ? [
          `The originals are kept in \`${folder}/conversation_history/\` (messages) and \`${folder}/tool_outputs/\` (long tool results). The first line names the file and its line range after \`full text: \`.`,
          ...ways.map((way) => `- ${way}`),
          'Read only what the current task needs.',
        ]
      : ways.length > 0
        ? ways.map((way) => `- ${way}`)
        : [
            'The removed parts cannot be read again. If you need a detail from them, get it from its source or ask the user; do not guess.',
          ];
  return ['# Earlier parts of this conversation', '', MEANING, '', ...recovery].join('\n');
}

const RECALL =
  'To find something said or seen earlier, call `recall` with names, paths or words; it returns the best matching passages.';

function waysOf(names: ReadonlySet<string>, folder: string): string[] {
  const ways: string[] = [];
  if (names.has('read_file'))
    ways.push(
      'To see an original, call `read_file` with that path and the line range as `lines`, such as `120-420`. If no range is given, read from the start of the file. A path that ends in `.json#3` is the third message of that file: pass the path without `#3`, and `/messages/2/message` as `pointer`.',
    );
  if (names.has('search_files'))
    ways.push(
      `To find something said or seen earlier, call \`search_files\` with a word from it and the path \`${folder}/conversation_history\` or \`${folder}/tool_outputs\`.`,
    );
  if (names.has('find_files'))
    ways.push(
      'To list the kept files, call `find_files` with the pattern `conversation_history/**/*.md` or `tool_outputs/**/*.txt`.',
    );
  return ways;
}
