// All hostile files and workspaces, in the order of the table.

import { ARCHIVE_CASES } from './archive-cases.mjs';
import { BINARY_CASES } from './binary-cases.mjs';
import { DATA_CASES } from './data-cases.mjs';
import { DOCUMENT_CASES } from './document-cases.mjs';
import { FILE_CASES } from './file-cases.mjs';
import { MEDIA_CASES } from './media-cases.mjs';
import { PDF_CASES } from './pdf-cases.mjs';
import { TEXT_CASES } from './text-cases.mjs';
import { WORKSPACE_CASES } from './workspace-cases.mjs';

const ALL = [
  ...FILE_CASES,
  ...TEXT_CASES,
  ...DATA_CASES,
  ...ARCHIVE_CASES,
  ...BINARY_CASES,
  ...DOCUMENT_CASES,
  ...PDF_CASES,
  ...MEDIA_CASES,
  ...WORKSPACE_CASES,
];

/** Those whose name contains `only`; without `full` not those that need gigabytes. */
export const casesOf = ({ only, full }) =>
  ALL.filter((one) => one.name.includes(only) && (full || one.full !== true));
