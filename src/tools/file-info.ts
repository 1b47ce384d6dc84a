// The tool file_info: facts about a file, without its content.

import { z } from 'zod';
import { splitAddress } from '../address/index.ts';
import { disarmed, type Encoding, named, OWN, oneLine, plural, safeCut } from '../contract/index.ts';
import type { ContentsPage, Inspection } from '../reader/index.ts';
import type { FileFacts } from '../workspace/index.ts';
import { anyOf, type DefinedTool, defineTool, type ToolRoom } from './definition.ts';
import { cutToBudget } from './page.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { errorAnswer, textAnswer } from './tool.ts';
import { inToolWords } from './words.ts';

const ADVERTISED = z.object({
  path: z.string().min(1).describe('Also a place: `a.json#/items`'),
  cursor: z.string().optional().describe('Of more contents'),
});
const INPUT = ADVERTISED.extend({ sheet: z.string().optional(), password: z.string().optional() });

/** Tells what a file is. */
export const FILE_INFO: DefinedTool = defineTool({
  name: 'file_info',
  title: 'File facts',
  readOnly: true,
  destructive: false,
  leadsTo: 'file',
  input: INPUT,
  advertised: ADVERTISED,
  aliases: { ...PATH_ALIASES, sheet_name: 'sheet', worksheet: 'sheet' },
  main: 'path',
  describe: () =>
    'Returns type, counts (tokens, lines, rows, pages, items) and contents of a file (headings, tables, sheets, keys), without values.',
  run: async ({ path, sheet, cursor, password }, room, { signal, progress }) => {
    // Only the reader can resolve a path into an archive (`a.zip!/b`).
    const inside = path.includes('!/') && (await room.workspace.kind(path)) === undefined;
    const file = await splitAddress(path, room.workspace);
    const facts = inside && file.fragment === undefined ? undefined : await room.workspace.stat(file.path);
    if (facts && facts.kind !== 'file') return textAnswer(folderText(facts, room));
    const found = await room.reader.inspect(path, {
      ...(sheet !== undefined && { sheet }),
      ...(password !== undefined && { password }),
      ...(cursor !== undefined && { cursor }),
      maxTokens: Math.min(
        file.fragment === undefined || cursor !== undefined ? CONTENTS_TOKENS : COUNTS_TOKENS,
        Math.floor(room.budget / 2),
      ),
      signal,
      onProgress: ({ bytes, of }) => progress({ progress: bytes, total: Math.max(of, bytes), unit: 'bytes' }),
    });
    if (!found.success) {
      const known = facts ? ` It has ${plural(facts.bytes ?? 0, 'byte')}.` : '';
      const { error } = found;
      const hint = error.message.startsWith('`sheet` cannot be used')
        ? 'Omit `sheet`.'
        : ofReading(error.hint, room);
      return errorAnswer({ code: error.code, message: `${error.message}${known}`, hint });
    }
    const { contents } = found;
    const all = cursor === undefined ? factsText(found, facts, room) : '';
    const listed = contents ? contentsText(contents) : '';
    return textAnswer(`${cutToBudget(all, room.budget - room.count(listed), room.count)}${listed}`);
  },
});

function folderText({ path, kind, modified }: FileFacts, { names }: ToolRoom): string {
  const what = kind === 'directory' ? 'a folder' : 'neither a file nor a folder';
  const list = kind === 'directory' ? anyOf(names, 'list_files') : '';
  const changed = modified === undefined ? '' : `, changed ${modified}`;
  return `${path === '' ? 'The workspace' : named(path)} is ${what}${changed}.${list === '' ? '' : ` List its entries with ${list}.`}\n`;
}

/** Of the list of contents; a cursor continues it. */
const CONTENTS_TOKENS = 1000;
/** The same of a place in a file, which is asked for its counts. */
const COUNTS_TOKENS = 200;

function contentsText({ text, shown, of, next }: ContentsPage): string {
  const part = shown && next ? ` ${shown[0]}-${shown[1]} of ${of}` : '';
  const more = next ? `${OWN.note}Use \`cursor\` "${next.cursor}" for the next contents.]\n` : '';
  return `contents${part}:\n${disarmed(text)}${more}`;
}

const MAX_FACT = 500;

/** One fact per line; nested facts are JSON. */
function factsText(
  found: Extract<Inspection, { success: true }>,
  facts: FileFacts | undefined,
  room: ToolRoom,
): string {
  const { name, bytes, modified, mimeType, encoding, sheets, ...others } = found.metadata;
  // The list of contents has a line for each sheet.
  const rest = found.contents || sheets === undefined ? others : { ...others, sheets };
  const lines: (readonly [string, unknown])[] = [
    ['path', facts?.path ?? name],
    ['type', `${found.fileType}${mimeType === undefined ? '' : ` (${mimeType})`}`],
    ['bytes', bytes ?? facts?.bytes],
    ['modified', modified ?? facts?.modified],
    ['encoding', encoding && encodingText(encoding)],
    ['links', facts !== undefined && facts.names > 1 ? `${facts.names} names of the same file` : undefined],
    ...Object.entries(rest),
  ];
  const shown = lines
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${oneLine(key)}: ${factText(value)}`);
  for (const { message } of found.warnings)
    shown.push(`${OWN.note}${inToolWords(ofReading(oneLine(message), room)).trim()}]`);
  return shown.map((line) => `${line}\n`).join('');
}

/** Advice about a read names the tool for it, and is dropped if that tool is not available. */
function ofReading(text: string, { names }: ToolRoom): string {
  const read = anyOf(names, 'read_file');
  return text.replace(/\bAsk (again|for|with)\b[^.]*\./g, (advice, how: string) =>
    read === '' ? '' : `With ${read}, ask ${how}${advice.slice('Ask '.length + how.length)}`,
  );
}

/** Includes the confidence, so that a caller can name another encoding. */
function encodingText({ name, confidence, others = [] }: Encoding): string {
  if (confidence === 1) return name;
  const also = others.length === 0 ? '' : `; others: ${others.join(', ')}`;
  return `${name} (guessed, ${Math.round(confidence * 100)} % sure${also})`;
}

function factText(value: unknown): string {
  const text = oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)));
  return text.length > MAX_FACT ? `${text.slice(0, safeCut(text, MAX_FACT))}…` : text;
}
