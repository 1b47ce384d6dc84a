// Calendars (iCalendar, RFC 5545) and contacts (vCard, RFC 6350), and how they are recognised. Reading is in
// `calendar-table.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const calendar: Processor = {
  name: 'calendar',
  fileType: 'calendar',
  extensions: ['.ics', '.ical', '.ifb', '.icalendar'],
  mimeTypes: ['text/calendar'],
  selects: ['rows', 'columns'],
  formats: ['csv', 'markdown', 'json'],
  textual: true,
  reads: (text) => /^\uFEFF?\s*BEGIN:VCALENDAR\r?\n/i.test(text),
  ...lazily(() => import('./calendar-table.ts')),
};

export const contacts: Processor = {
  name: 'contacts',
  fileType: 'contacts',
  extensions: ['.vcf', '.vcard'],
  mimeTypes: ['text/vcard', 'text/x-vcard', 'text/directory'],
  selects: ['rows', 'columns'],
  formats: ['csv', 'markdown', 'json'],
  textual: true,
  reads: (text) => /^\uFEFF?\s*BEGIN:VCARD\r?\n/i.test(text),
  ...lazily(() => import('./calendar-table.ts')),
};
