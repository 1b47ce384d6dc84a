// The list of formats lectern reads; each is one file or folder beside this one.

import type { Format } from '../src/contract/index.ts';
import { bzip2, gzip, sevenZip, tar, xz, zip, zstd } from './archive/archive.ts';
import { unreadArchives } from './archive/unread.ts';
import { audio } from './audio/audio.ts';
import { unreadMedia } from './audio/unread.ts';
import { video } from './audio/video.ts';
import { unreadBinaries } from './binary/unread.ts';
import { doc } from './documents/doc.ts';
import { docx } from './documents/docx.ts';
import { eml } from './documents/eml.ts';
import { epub } from './documents/epub.ts';
import { html } from './documents/html.ts';
import { iwork } from './documents/iwork.ts';
import { mbox } from './documents/mbox.ts';
import { msg } from './documents/msg.ts';
import { odp } from './documents/odp.ts';
import { odt } from './documents/odt.ts';
import { pdf } from './documents/pdf.ts';
import { ppt } from './documents/ppt.ts';
import { pptx } from './documents/pptx.ts';
import { rtf } from './documents/rtf.ts';
import { tnef } from './documents/tnef.ts';
import { unreadDocuments } from './documents/unread.ts';
import { image } from './image/image.ts';
import { unreadImages } from './image/unread.ts';
import { json } from './structured/json.ts';
import { jsonl } from './structured/jsonl.ts';
import { notebook } from './structured/notebook.ts';
import { toml } from './structured/toml.ts';
import { xml } from './structured/xml.ts';
import { yaml } from './structured/yaml.ts';
import { calendar, contacts } from './tabular/calendar.ts';
import { csv } from './tabular/csv.ts';
import { parquet } from './tabular/parquet.ts';
import { sqlite } from './tabular/sqlite.ts';
import { unreadTables } from './tabular/unread.ts';
import { ods, spreadsheet, xlsx } from './tabular/xlsx.ts';
import { code } from './text/code.ts';
import { markdown, text } from './text/text.ts';

/** Where the content fits several, the first one reads it. */
export const FORMATS: readonly Format[] = [
  text,
  code,
  markdown,
  json,
  jsonl,
  notebook,
  yaml,
  toml,
  xml,
  csv,
  calendar,
  contacts,
  xlsx,
  spreadsheet,
  ods,
  parquet,
  sqlite,
  html,
  epub,
  zip,
  tar,
  gzip,
  bzip2,
  xz,
  zstd,
  sevenZip,
  eml,
  msg,
  tnef,
  mbox,
  image,
  audio,
  video,
  docx,
  doc,
  pptx,
  ppt,
  odt,
  odp,
  rtf,
  pdf,
  iwork,
  ...unreadTables,
  ...unreadDocuments,
  ...unreadImages,
  ...unreadMedia,
  ...unreadArchives,
  ...unreadBinaries,
];
