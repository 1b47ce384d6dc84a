// Writes minimal Office Open XML workbooks for tests, part by part, so that a test can make any part wrong.

import { type ZipMember, zipOf } from './zip.ts';

export interface WorkbookParts {
  /** XML inside `<worksheet>`, one a sheet; wrapped in `<sheetData>` when it starts with `<row`. */
  readonly sheets: readonly (
    | string
    | { readonly name?: string; readonly state?: string; readonly xml: string }
  )[];
  /** Texts, or items (`<si>`) as they shall stand. */
  readonly strings?: readonly string[];
  readonly numFmts?: readonly string[];
  readonly date1904?: boolean;
  /** More members, or others in place of those of the same name. */
  readonly members?: readonly ZipMember[];
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The members of the package; style `n` (from 1) has the n-th of `numFmts`. */
export function workbookMembers(parts: WorkbookParts): ZipMember[] {
  const { strings = [], numFmts = [], members = [] } = parts;
  const sheets = parts.sheets.map((sheet, index) => {
    const {
      name = `Sheet${index + 1}`,
      state,
      xml,
    } = typeof sheet === 'string' ? { xml: sheet } : { ...sheet };
    return { name, state, xml: xml.startsWith('<row') || xml === '' ? `<sheetData>${xml}</sheetData>` : xml };
  });
  const own: ZipMember[] = [
    {
      name: '_rels/.rels',
      data: `<Relationships xmlns="${PACKAGE}"><Relationship Id="r" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      data: `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr${parts.date1904 ? ' date1904="1"' : ''}/><sheets>${sheets
        .map(
          ({ name, state }, index) =>
            `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${state ? ` state="${state}"` : ''} r:id="s${index + 1}"/>`,
        )
        .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships xmlns="${PACKAGE}">${sheets
        .map(
          (_, index) =>
            `<Relationship Id="s${index + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
        )
        .join(
          '',
        )}<Relationship Id="st" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="ss" Type="${RELATIONS}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`,
    },
    {
      name: 'xl/styles.xml',
      data: `<styleSheet xmlns="${MAIN}"><numFmts>${numFmts
        .map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${escapeXml(code)}"/>`)
        .join('')}</numFmts><cellXfs><xf numFmtId="0"/>${numFmts
        .map((_, index) => `<xf numFmtId="${200 + index}"/>`)
        .join('')}</cellXfs></styleSheet>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      data: `<sst xmlns="${MAIN}">${strings
        .map((text) =>
          text.startsWith('<si') ? text : `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`,
        )
        .join('')}</sst>`,
    },
    ...sheets.map(({ xml }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      data: `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${MAIN}">${xml}</worksheet>`,
    })),
  ];
  const replaced = new Set(members.map(({ name }) => name));
  return [...own.filter(({ name }) => !replaced.has(name)), ...members];
}

export function workbookOf(parts: WorkbookParts): Buffer {
  return zipOf(workbookMembers(parts));
}
