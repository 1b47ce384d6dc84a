// Wraps tools so that their answers are added to the archive and `recall` can find them later.

import { OWN } from '../contract/index.ts';
import type { Recall, RecallEntry } from '../recall/index.ts';
import { withNote } from './definition.ts';
import { type Tool, textOf } from './tool.ts';

const MAX_SOURCE = 200;

/** The same tools. Errors and the answers of `plan` and `recall`, which are stored already, are not added. */
export function archivingTools(tools: readonly Tool[], recall: Pick<Recall, 'add'>): Tool[] {
  return tools.map((tool) =>
    tool.name === 'plan' || tool.name === 'recall' ? tool : archiving(tool, recall),
  );
}

function archiving(tool: Tool, recall: Pick<Recall, 'add'>): Tool {
  return {
    ...tool,
    run: async (args, context) => {
      const answer = await tool.run(args, context);
      const text = textOf(answer);
      if (answer.isError || text === '') return answer;
      return withNote(answer, await noteOf(recall, entryOf(tool, args, text)));
    },
  };
}

async function noteOf(recall: Pick<Recall, 'add'>, entry: RecallEntry): Promise<string> {
  try {
    await recall.add([entry]);
    return '';
  } catch {
    return `\n${OWN.note}this answer could not be archived for \`recall\`.]\n`;
  }
}

function entryOf(tool: Tool, args: unknown, text: string): RecallEntry {
  const path: unknown = Object(tool.canonical(args))['path'];
  const source = typeof path === 'string' ? `${tool.name} ${path}` : tool.name;
  return {
    text,
    kind: tool.name === 'read_file' ? 'document' : 'result',
    source: source.slice(0, MAX_SOURCE),
  };
}
