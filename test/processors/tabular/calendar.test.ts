// Calendars and contacts as tables.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calendar, contacts } from '../../../processors/tabular/calendar.ts';
import type { Processor } from '../../../src/contract/index.ts';
import { createReader } from '../../../src/index.ts';
import { memorySource, type Outcome, run } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';

const read = (processor: Processor, name: string, ...lines: readonly string[]): Promise<Outcome> =>
  run(processor, memorySource(Buffer.from(lines.join('\r\n')), name), { selection: { all: true } });

const events = async (...lines: readonly string[]): Promise<string> =>
  (await read(calendar, 'a.ics', 'BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR')).text;

const people = async (...lines: readonly string[]): Promise<string> =>
  (await read(contacts, 'a.vcf', 'BEGIN:VCARD', ...lines, 'END:VCARD')).text;

describe('a calendar', () => {
  it('shows one event per row, with dates, places and people as people write them', async () => {
    expect(
      await events(
        'BEGIN:VTIMEZONE',
        'TZID:Europe/Rome',
        'END:VTIMEZONE',
        'BEGIN:VEVENT',
        'UID:1',
        'DTSTART;TZID=Europe/Rome:20240105T093000',
        'DTEND;TZID=Europe/Rome:20240105T101530',
        'SUMMARY:Review\\, part 1',
        'LOCATION:Room 2\\; east',
        'ORGANIZER;CN="Ada L.":mailto:ada@example.org',
        'ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED:mailto:bob@example.org',
        'ATTENDEE:mailto:eve@example.org',
        'RRULE:FREQ=WEEKLY;BYDAY=MO,FR',
        'END:VEVENT',
        'BEGIN:VEVENT',
        'DTSTART;VALUE=DATE:20240301',
        'SUMMARY:Holiday',
        'END:VEVENT',
      ),
    ).toBe(
      [
        'start,end,summary,location,organizer,attendees,recurrence,uid',
        '2024-01-05 09:30 Europe/Rome,2024-01-05 10:15:30 Europe/Rome,"Review, part 1",Room 2; east,Ada L. <ada@example.org>,Bob <bob@example.org> (accepted); eve@example.org,"FREQ=WEEKLY;BYDAY=MO,FR",1',
        '2024-03-01,,Holiday,,,,,',
        '',
      ].join('\n'),
    );
  });

  it('joins folded lines, and shows alarms and kinds of entries', async () => {
    expect(
      await events(
        'BEGIN:VEVENT',
        'SUMMARY:A long',
        '  title',
        'DTSTART:20240105T093000Z',
        'BEGIN:VALARM',
        'ACTION:DISPLAY',
        'TRIGGER:-PT15M',
        'DESCRIPTION:Take the pilot\\, and\\nthe list',
        'END:VALARM',
        'BEGIN:VALARM',
        'ACTION:AUDIO',
        'TRIGGER;RELATED=END:PT5M',
        'END:VALARM',
        'BEGIN:VLOCATION',
        'NAME:not an alarm',
        'END:VLOCATION',
        'END:VEVENT',
        'BEGIN:VTODO',
        'DUE:20240106',
        'SUMMARY:Call',
        'END:VTODO',
      ),
    ).toBe(
      'kind,start,due,summary,alarms\nevent,2024-01-05 09:30 UTC,,A long title,"display -PT15M: Take the pilot, and the list; audio PT5M from the end"\ntodo,,2024-01-06,Call,\n',
    );
  });

  it('bounds the alarms of an event, and their text', async () => {
    const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', `DESCRIPTION:${'x'.repeat(300)}`, 'END:VALARM'];
    const text = await events(
      'BEGIN:VEVENT',
      ...Array.from({ length: 13 }, () => alarm).flat(),
      'END:VEVENT',
    );
    const shown = `display: ${'x'.repeat(200)}…; `;
    expect(text).toBe(`alarms\n${shown.repeat(10)}3 more\n`);
  });

  it('reports lines that it cannot read', async () => {
    const outcome = await read(calendar, 'a.ics', 'BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'SUMMARY:x', '???');
    expect(outcome.context.warnings).toContainEqual({
      code: 'SKIPPED_CONTENT',
      message: '1 line without a property left out.',
    });
    expect(outcome.text).toBe('summary\nx\n');
  });

  it('is recognised by its content', async () => {
    const body = 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    const result = await createReader({ environment: {} }).read({ name: 'noname', bytes: Buffer.from(body) });
    expect(result).toMatchObject({ success: true, fileType: 'calendar' });
  });
});

describe('contacts', () => {
  it('shows one person per row', async () => {
    expect(
      await people(
        'VERSION:4.0',
        'FN:Ada Lovelace',
        'N:Lovelace;Ada;;;',
        'item1.EMAIL;TYPE=work:ada@example.org',
        'TEL;TYPE=cell,voice;VALUE=uri:tel:+44-20-1234',
        'ADR;TYPE=home:;;1 High St;London;;W1;UK',
        'BDAY:18151210',
      ),
    ).toBe(
      'name,name parts,email,phone,address,birthday\nAda Lovelace,"Lovelace, Ada",work: ada@example.org,cell voice: +44-20-1234,"home: 1 High St, London, W1, UK",1815-12-10\n',
    );
  });

  it('decodes quoted-printable values of version 2.1 and names data by its size', async () => {
    expect(
      await people(
        'VERSION:2.1',
        'FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:J=FCrgen=',
        ' M=FCller',
        'TEL;WORK:123',
        'PHOTO;JPEG;ENCODING=BASE64:AAAA',
      ),
    ).toBe('name,phone,photo\nJürgen Müller,work: 123,"(jpeg, 3 bytes of data)"\n');
  });
});

it('keeps every value of any event once', async () => {
  const text = fc.stringMatching(/^[a-z ]{1,20}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 20 }), async (pairs) => {
      const lines = pairs.flatMap(([summary, note], at) => [
        'BEGIN:VEVENT',
        `SUMMARY:s${at}s${summary}`,
        `X-NOTE:n${at}n${note}`,
        'END:VEVENT',
      ]);
      const shown = await events(...lines);
      for (const [at, [summary, note]] of pairs.entries()) {
        expect(shown.split(`s${at}s${summary.trimEnd()}`)).toHaveLength(2);
        expect(shown.split(`n${at}n${note.trimEnd()}`)).toHaveLength(2);
      }
    }),
    { numRuns: draws(100) },
  );
});
