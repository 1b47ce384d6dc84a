// A part of a structured file as JSON records: the items of an array, what a wildcard matches, or the elements of XML.

import type { Input } from '../reader/index.ts';
import { factsOf, type QueriedFile } from './queried-file.ts';
import { linesOf, type Room, textOf } from './room.ts';
import { xmlRecords } from './xml-records.ts';

/** JSON of the part at the place of `file`. @throws {ReaderError} BAD_INPUT if there is none */
export async function* subtree(file: QueriedFile, processor: string, room: Room): AsyncGenerator<string> {
  if (processor === 'xml') {
    yield* xmlRecords(textOf(file.again(''), {}, room), file.place.slice(1));
    return;
  }
  const { metadata } = await factsOf(file.again(), room);
  if (metadata['matches'] === undefined) {
    yield* textOf(file.again(), { format: 'json' }, room);
    return;
  }
  const { object = 0, null: none = 0 } = (metadata['types'] ?? {}) as Readonly<Record<string, number>>; // counted by type
  // The members of objects are columns.
  const areObjects = object + none === metadata['matches'];
  for await (const { pointer, value } of valuesAt(file.again(), room)) {
    const key = `{"pointer":${JSON.stringify(pointer)}`;
    if (!areObjects) yield `${key},"value":${JSON.stringify(value)}}\n`;
    else if (/^\{\s*\}?$/.test(value.slice(0, 2)) || value === 'null') yield `${key}}\n`;
    else yield value.includes('"pointer":') ? `${key},"value":${value}}\n` : `${key},${value.slice(1)}\n`;
  }
}

/** What a pointer with wildcards matches: JSON, or the text of a string. */
export async function* valuesAt(
  input: Input,
  room: Room,
): AsyncGenerator<{ readonly pointer: string; readonly value: string }> {
  for await (const line of linesOf(textOf(input, { format: 'json' }, room))) {
    if (!line.startsWith('{')) continue;
    const record: unknown = JSON.parse(line.replace(/,$/, ''));
    if (typeof record !== 'object' || record === null || !('pointer' in record)) continue;
    const value: unknown = 'value' in record ? record.value : null;
    yield {
      pointer: String(record.pointer),
      value: typeof value === 'string' ? value : JSON.stringify(value),
    };
  }
}
