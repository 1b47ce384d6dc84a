// A calendar as a table of its events and tasks, and a file of contacts as a table of people: one row each, one column
// for each property that occurs.

import {
  type OutlineLine,
  type Part,
  type ProcessContext,
  plural,
  type Source,
  safeCut,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { decodeStandard } from '../../src/encoding/index.ts';
import { type Table, type TableRow, tableOutline, tableParts } from '../../src/table/index.ts';
import { type Block, blocksOf, type Property } from './content-lines.ts';

/** Bytes of a file that are read; larger calendars are exports of whole servers. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Properties with a column of their own. */
const MAX_COLUMNS = 200;
/** Shorter `data:` addresses are shown as they are. */
const MIN_DATA_CHARACTERS = 200;

/** Alarms of one entry that are shown, and characters of the text of each. */
const MAX_ALARMS = 10;
const MAX_ALARM_TEXT = 200;

/** Columns in the order in which people look for them; others follow in order of appearance. */
const FIRST: readonly string[] = [
  'DTSTART DTEND DUE DURATION SUMMARY LOCATION STATUS ORGANIZER ATTENDEE RRULE DESCRIPTION',
  'FN N NICKNAME ORG TITLE ROLE EMAIL TEL ADR URL BDAY NOTE',
].flatMap((names) => names.split(' '));

const NAMES: Readonly<Record<string, string>> = {
  DTSTART: 'start',
  DTEND: 'end',
  DTSTAMP: 'stamped',
  RRULE: 'recurrence',
  RDATE: 'extra dates',
  EXDATE: 'except dates',
  'LAST-MODIFIED': 'modified',
  ATTENDEE: 'attendees',
  FN: 'name',
  N: 'name parts',
  ORG: 'organization',
  ADR: 'address',
  TEL: 'phone',
  BDAY: 'birthday',
  REV: 'revised',
};

/** The rows' head and tail, the requested rows, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const table = await openTable(source, context);
  if (table) yield* tableParts(table, context);
}

/** Columns with a summary of their content. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const table = await openTable(source, context);
  if (table) yield* tableOutline(table, context);
}

async function openTable(source: Source, context: ProcessContext): Promise<Table | undefined> {
  const { signal, warn, describe, selection } = context;
  const text = await context.text(source);
  const bytes = await text.read(0, Math.min(text.size, MAX_BYTES));
  throwIfAborted(signal);
  const { blocks, unread } = blocksOf(new TextDecoder().decode(bytes));
  const entries = blocks.flatMap((block) => (block.kind === 'VCALENDAR' ? block.blocks : [block]));
  // Time zones say how to compute times that other entries state in full.
  const rows = entries.filter(({ kind }) => kind !== 'VTIMEZONE');
  const calendars = blocks.filter(({ kind }) => kind === 'VCALENDAR');
  describe({
    rows: rows.length,
    entries: countsOf(rows),
    ...(calendars.length > 0 && { calendars: calendars.map(nameOf).filter((name) => name !== '') }),
  });
  if (!selection.outline) {
    if (text.size > MAX_BYTES)
      warn({
        code: 'SKIPPED_CONTENT',
        message: `The file has ${text.size} bytes; only the first ${MAX_BYTES} were read.`,
      });
    if (unread > 0)
      warn({ code: 'SKIPPED_CONTENT', message: `${plural(unread, 'line')} without a property left out.` });
  }
  return rows.length === 0 ? undefined : tableOf(rows, context);
}

function countsOf(rows: readonly Block[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of rows) if (/^[\w-]{1,40}$/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function nameOf({ properties }: Block): string {
  const name = properties.find((one) => one.name === 'X-WR-CALNAME' || one.name === 'NAME');
  return name ? unescaped(name.value) : '';
}

function tableOf(rows: readonly Block[], { warn }: ProcessContext): Table {
  const found = new Set(rows.flatMap(({ properties }) => properties.map(({ name }) => name)));
  const others = [...found].filter((name) => !FIRST.includes(name) && name !== 'VERSION');
  const all = [...FIRST.filter((name) => found.has(name)), ...others];
  const names = all.slice(0, MAX_COLUMNS);
  if (all.length > names.length)
    warn({
      code: 'SKIPPED_CONTENT',
      message: `${plural(all.length - names.length, 'kind')} of property past the first ${MAX_COLUMNS} left out.`,
    });
  const isMixed = new Set(rows.map(({ kind }) => kind)).size > 1;
  const withAlarms = rows.some(({ blocks }) => blocks.some(isAlarm));
  const header = [
    ...(isMixed ? ['kind'] : []),
    ...names.map((name) => NAMES[name] ?? name.toLowerCase()),
    ...(withAlarms ? ['alarms'] : []),
  ];
  const cellsOf = ({ kind, properties, blocks }: Block): string[] => [
    ...(isMixed ? [kind.replace(/^V/, '').toLowerCase()] : []),
    ...names.map((name) =>
      properties
        .filter((property) => property.name === name)
        .map(shown)
        .join('; '),
    ),
    ...(withAlarms ? [alarmsOf(blocks)] : []),
  ];
  return {
    header,
    headerRow: 0,
    rows: rows.length,
    columns: header.length,
    async *read(from, to): AsyncGenerator<TableRow> {
      for (let number = from; number <= Math.min(to, rows.length); number += 1) {
        const row = rows[number - 1];
        if (row) yield { number, cells: cellsOf(row) };
      }
    },
  };
}

const isAlarm = ({ kind }: Block): boolean => kind === 'VALARM';

/** The alarms of an entry; of more than `MAX_ALARMS`, the number. */
function alarmsOf(blocks: readonly Block[]): string {
  const alarms = blocks.filter(isAlarm);
  const rest = alarms.length - MAX_ALARMS;
  return [
    ...alarms.slice(0, MAX_ALARMS).map((alarm) => alarmOf(alarm)),
    ...(rest > 0 ? [`${rest} more`] : []),
  ].join('; ');
}

/** Such as `display -PT15M: Call the pilot`: what an alarm does, when, and the text it shows. */
function alarmOf({ properties }: Block): string {
  const found = (name: string): Property | undefined => properties.find((one) => one.name === name);
  const [action, trigger] = [found('ACTION'), found('TRIGGER')];
  const related = trigger?.parameters.get('RELATED')?.toUpperCase() === 'END' ? 'from the end' : '';
  const head = [action?.value.toLowerCase() ?? '', trigger ? shown(trigger) : '', related];
  const text = ['SUMMARY', 'DESCRIPTION']
    .flatMap((name) => found(name) ?? [])
    .map((property) => shortened(shown(property)))
    .filter((line) => line !== '')
    .join(' - ');
  return [head.filter(Boolean).join(' '), text].filter(Boolean).join(': ');
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const end = safeCut(line, MAX_ALARM_TEXT);
  return line.length > MAX_ALARM_TEXT ? `${line.slice(0, end)}…` : line;
}

/** A value as people write it: dates with a hyphen, people with their names, lists with commas. */
function shown(property: Property): string {
  const { name, parameters, value } = property;
  const encoding = parameters.get('ENCODING')?.toUpperCase() ?? '';
  if (encoding === 'B' || encoding === 'BASE64') return dataOf(value, parameters.get('TYPE'));
  if (/^data:/i.test(value) && value.length > MIN_DATA_CHARACTERS)
    return dataOf(value.slice(value.indexOf(',') + 1), /^data:([\w/+.-]{1,60})/i.exec(value)?.[1]);
  const text = encoding === 'QUOTED-PRINTABLE' ? quotedPrintable(value, parameters.get('CHARSET')) : value;
  const zone = parameters.get('TZID');
  const dates = text.split(',').map((part) => dateOf(part, zone));
  if (dates.every((date) => date !== undefined)) return dates.join(', ');
  const person = parameters.get('CN');
  const address = text.replace(/^(?:mailto|tel):/i, '');
  if (person !== undefined && /^(?:ATTENDEE|ORGANIZER)$/.test(name))
    return personOf(person, address, parameters);
  const plain = name === 'RRULE' ? text : fieldsOf(text, name);
  const type = /^(?:TEL|EMAIL|ADR|URL|IMPP)$/.test(name) ? parameters.get('TYPE') : undefined;
  const prefix = type === undefined || type === '' ? '' : `${type.toLowerCase().replaceAll(',', ' ')}: `;
  return (
    prefix +
    (/^(?:TEL|EMAIL|ATTENDEE|ORGANIZER)$/.test(name) ? plain.replace(/^(?:mailto|tel):/i, '') : plain)
  );
}

function personOf(name: string, address: string, parameters: Property['parameters']): string {
  const status = parameters.get('PARTSTAT')?.toLowerCase();
  const answer = status === undefined || status === 'needs-action' ? '' : ` (${status})`;
  return `${name === address ? address : `${name} <${address}>`}${answer}`;
}

/** `20240102T093000Z` as `2024-01-02 09:30 UTC`; undefined for anything else. */
function dateOf(text: string, zone: string | undefined): string | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?$/.exec(text.trim());
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second = '00', utc] = found;
  if (hour === undefined) return `${year}-${month}-${day}`;
  const where = utc === undefined ? (zone === undefined ? '' : ` ${zone}`) : ' UTC';
  return `${year}-${month}-${day} ${hour}:${minute}${second === '00' ? '' : `:${second}`}${where}`;
}

/** The parts of a structured value (a name, an address) with commas between them; other values as text. */
function fieldsOf(value: string, name: string): string {
  if (!/^(?:N|ADR|ORG|GENDER)$/.test(name)) return unescaped(value);
  const parts = value.split(/(?<!\\);/).map((part) => unescaped(part).trim());
  return parts.filter((part) => part !== '').join(', ');
}

function unescaped(value: string): string {
  return value.replace(/\\([\\;,nN:])/g, (_, letter: string) => (/n/i.test(letter) ? '\n' : letter));
}

function dataOf(value: string, type: string | undefined): string {
  const bytes = Math.floor((value.replace(/\s/g, '').length * 3) / 4);
  return `(${type === undefined ? '' : `${type.toLowerCase()}, `}${bytes} bytes of data)`;
}

function quotedPrintable(value: string, charset: string | undefined): string {
  const bytes: number[] = [];
  for (const piece of value.match(/=[0-9A-Fa-f]{2}|[\s\S]/gu) ?? [])
    if (piece.length === 3 && piece.startsWith('=')) bytes.push(Number.parseInt(piece.slice(1), 16));
    else bytes.push(...Buffer.from(piece));
  const data = Uint8Array.from(bytes);
  return decodeStandard(data, charset ?? 'utf-8') ?? new TextDecoder().decode(data);
}
