// Spreadsheet formats and how they are recognised. Reading is in `spreadsheet.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';
import { zipHeadNames } from '../../src/zip/head.ts';
import {
  holds,
  isOle,
  isZip,
  mayBeOleWorkbook,
  OLE,
  rawBiffKind,
  streamNamed,
} from './spreadsheet-signature.ts';

const SELECTS = ['rows', 'columns', 'header', 'sheet'] as const;

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
  magic: [
    {
      starts: OLE,
      holds: streamNamed('EncryptedPackage'),
      what: 'an encrypted Office file',
      mimeType: 'application/x-ole-encrypted',
    },
  ],
  matches: (head) => isZip(head) && holds(head, 'xl/') && !holds(head, 'xl/workbook.bin'),
  // Of every kind of Office file: what is inside is detected afterwards.
  decrypt: async (source, head, context) => {
    if (!isOle(head)) return undefined;
    const { decryptedPackage, isEncryptedPackage } = await import('../../src/package/index.ts');
    return (await isEncryptedPackage(source)) ? decryptedPackage(source, context) : undefined;
  },
  ...lazily(() => import('./spreadsheet.ts')),
};

/** Binary workbooks of Excel 5 to 2003 and 2007. Loaded into memory. */
export const spreadsheet: Processor = {
  name: 'spreadsheet',
  fileType: 'xlsx',
  extensions: ['.xls', '.xlt', '.xla', '.xlw', '.xlsb'],
  mimeTypes: ['application/vnd.ms-excel', 'application/vnd.ms-excel.sheet.binary.macroenabled.12'],
  selects: SELECTS,
  formats: ['csv', 'markdown', 'json'],
  textual: false,
  magic: [
    { starts: OLE, holds: streamNamed('Workbook'), what: 'an Excel 97 workbook' },
    { starts: OLE, holds: streamNamed('Book\0\0'), what: 'an Excel 97 workbook' },
    {
      starts: (head) => zipHeadNames(head).includes('xl/workbook.bin'),
      what: 'an Excel binary workbook',
      mimeType: 'application/vnd.ms-excel.sheet.binary.macroenabled.12',
    },
    { starts: startsWithRecords, what: 'a workbook of Excel 2 to 4' },
  ],
  matches: (head) =>
    mayBeOleWorkbook(head) ||
    rawBiffKind(head) !== undefined ||
    (isZip(head) && holds(head, 'xl/workbook.bin')),
  decrypt: async (source, head, context) => {
    if (!isOle(head)) return undefined;
    return (await import('./legacy/protection.ts')).decryptedWorkbook(source, context);
  },
  ...lazily(() => import('./spreadsheet.ts')),
};

/** OpenDocument spreadsheets. Loaded into memory. */
export const ods: Processor = {
  name: 'ods',
  fileType: 'ods',
  extensions: ['.ods', '.ots'],
  mimeTypes: [
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.spreadsheet-template',
  ],
  selects: SELECTS,
  formats: ['csv', 'markdown', 'json'],
  textual: false,
  matches: (head) => isZip(head) && holds(head, 'opendocument.spreadsheet'),
  // Of every kind of OpenDocument package.
  decrypt: async (source, head, context) => {
    if (!isZip(head) || !holds(head, 'opendocument')) return undefined;
    return (await import('../../src/package/index.ts')).decryptedOpenDocument(source, context);
  },
  ...lazily(() => import('./spreadsheet.ts')),
};

/** Excludes UTF-16 text that starts with a tab or line end, which has the same first bytes. */
function startsWithRecords(head: Uint8Array): boolean {
  return rawBiffKind(head) !== undefined && head[2] !== 0x0a && head[2] !== 0x0d;
}
