// `lectern recall`: searches an agent's archive, and adds documents to it.

import { stat } from 'node:fs/promises';
import { disarmed, errnoOf, oneLine, plural, quoted, shortName } from '../contract/index.ts';
import { createReader, ReaderError } from '../index.ts';
import {
  ENTRY_KINDS,
  openRecall,
  type Recall,
  type RecallHit,
  type RecallSearchOptions,
} from '../recall/index.ts';
import type { Command } from './command.ts';
import { CONTEXT_DIR_OPTION, contextDirFrom, namedContextDir } from './context-dir.ts';
import { COMMON_OPTIONS, type Option, REDACT_OPTIONS, redactFrom, type Values } from './options.ts';
import { asJson } from './read-command.ts';
import { progressOf, type Terminal } from './terminal.ts';

const RECALL_OPTIONS: readonly Option[] = [
  CONTEXT_DIR_OPTION,
  { name: 'limit', value: 'N', help: 'maximum number of passages (default: 5)' },
  {
    name: 'kind',
    value: 'KIND',
    choices: ENTRY_KINDS,
    help: `only entries of this kind: ${ENTRY_KINDS.join(', ')}`,
  },
  ...REDACT_OPTIONS.map((option) => ({ ...option, help: `${option.help}, in what is added` })),
];

export const recall: Command = {
  options: [...RECALL_OPTIONS, ...COMMON_OPTIONS],
  async run([action, ...words], values, terminal) {
    if ((action !== 'search' && action !== 'add') || words.length === 0)
      throw new ReaderError(
        'BAD_INPUT',
        action === undefined
          ? 'No action given.'
          : action === 'search' || action === 'add'
            ? `\`lectern recall ${action}\` requires ${action === 'add' ? 'a file' : 'a search term'}.`
            : `${quoted(action)} is not an action of \`lectern recall\`.`,
        'Use `lectern recall search WORD...` or `lectern recall add FILE...`.',
      );
    const storage = contextDirFrom(values);
    if (action === 'search') await refuseMissing(storage, namedContextDir(values));
    // Read first, so that a missing file creates no archive.
    const documents = action === 'add' ? await documentsOf(words, values, terminal) : [];
    const archive = await openRecall({ storage });
    try {
      if (action === 'add') await add(archive, documents, terminal);
      else await search(archive, words.join(' '), values, terminal);
    } finally {
      await archive.close();
    }
    return 0;
  },
};

/** A search never creates an archive. */
async function refuseMissing(folder: string, named: string): Promise<void> {
  try {
    await stat(folder);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new ReaderError(
      'FILE_NOT_FOUND',
      `The archive folder ${quoted(named)} does not exist.`,
      "Set the agent's folder with `--context-dir`.",
    );
  }
}

async function search(archive: Recall, query: string, values: Values, terminal: Terminal): Promise<void> {
  const hits = await archive.search(query, searchOptions(values));
  if (values['json'] === true) await terminal.out(asJson(hits));
  else await terminal.out(hits.length === 0 ? 'No matches.\n' : hits.map(hitText).join('\n'));
}

const hitText = ({ kind, source, id, line, text }: RecallHit): string =>
  `==> ${kind} ${oneLine(source)}, ${oneLine(id)} from line ${line} <==\n${disarmed(text.trimEnd())}\n`;

/** @throws {ReaderError} BAD_INPUT */
function searchOptions({ limit, kind: given }: Values): RecallSearchOptions {
  const kind = ENTRY_KINDS.find((one) => one === given);
  if (given !== undefined && kind === undefined)
    throw new ReaderError(
      'BAD_INPUT',
      `\`--kind\` is ${quoted(String(given))}; expected ${ENTRY_KINDS.join(', ')}.`,
      'Use one of these, or omit it.',
    );
  if (limit !== undefined && !/^[1-9]\d{0,3}$/.test(String(limit)))
    throw new ReaderError(
      'BAD_INPUT',
      `\`--limit\` is ${quoted(String(limit))}; expected a whole number of 1 or more.`,
      'Example: `--limit 5`.',
    );
  return { ...(kind !== undefined && { kind }), ...(limit !== undefined && { limit: Number(limit) }) };
}

type Document = Parameters<Recall['add']>[0][number];

/** Reads files as text documents. @throws {ReaderError} for the first that cannot be read */
async function documentsOf(
  files: readonly string[],
  values: Values,
  terminal: Terminal,
): Promise<Document[]> {
  const reader = createReader({ environment: terminal.environment, ...redactFrom(values) });
  const documents: Document[] = [];
  for (const [at, file] of files.entries()) {
    const onProgress = progressOf(terminal, files, at);
    const answer = await reader.read(file, { all: true, signal: terminal.signal, onProgress });
    if (!answer.success) throw new ReaderError(answer.error.code, answer.error.message, answer.error.hint);
    const text = answer.content.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    documents.push({ text, kind: 'document', source: shortName(file) });
  }
  return documents;
}

async function add(archive: Recall, documents: readonly Document[], terminal: Terminal): Promise<void> {
  for (const document of documents) await archive.add([document]);
  await terminal.out(`Added ${plural(documents.length, 'document')}.\n`);
}
