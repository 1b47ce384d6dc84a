// Spreadsheets: which files they are. How they are read is in `spreadsheet.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';
import { holds, isOle, isZip, rawBiffKind } from './spreadsheet-signature.ts';

const SELECTS = ['rows', 'columns', 'sheet'] as const;

/** Office Open XML workbooks, with or without macros (which are never run). */
export const xlsx: Processor = {
  name: 'xlsx',
  fileType: 'xlsx',
  extensions: ['.xlsx', '.xlsm', '.xltx', '.xltm'],
  mimeTypes: [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
    'application/vnd.ms-excel.sheet.macroenabled.12',
    'application/vnd.ms-excel.template.macroenabled.12',
  ],
  selects: SELECTS,
  formats: ['csv', 'markdown', 'json'],
  textual: false,
  matches: (head) => isZip(head) && holds(head, 'xl/') && !holds(head, 'xl/workbook.bin'),
  ...lazily(() => import('./spreadsheet.ts')),
};

/** Binary workbooks of Excel 5 to 2003 and 2007, and OpenDocument spreadsheets. Held in memory whole. */
export const spreadsheet: Processor = {
  name: 'spreadsheet',
  fileType: 'xlsx',
  extensions: ['.xls', '.xlt', '.xla', '.xlsb', '.ods', '.ots'],
  mimeTypes: [
    'application/vnd.ms-excel',
    'application/vnd.ms-excel.sheet.binary.macroenabled.12',
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
  ],
  selects: SELECTS,
  formats: ['csv', 'markdown', 'json'],
  textual: false,
  matches: (head) =>
    isOle(head) ||
    rawBiffKind(head) !== undefined ||
    (isZip(head) && (holds(head, 'opendocument.spreadsheet') || holds(head, 'xl/workbook.bin'))),
  ...lazily(() => import('./spreadsheet.ts')),
};
