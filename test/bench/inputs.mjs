// The files the benchmarks read: made on the spot, the same every time, in constant memory. Sizes are those the cases
// name, in megabytes or rows.

import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { docx, jpeg, pdf } from './document-inputs.mjs';
import { random, WORDS } from './words.mjs';
import { zip } from './zip.mjs';

const CHUNK = 1 << 20;
const CITIES = ['Berlin', 'Paris', 'New York', 'Tokyo', 'São Paulo', 'Kraków', 'Lagos', 'Quito'];
/**
 * Writes what `next` gives, piece by piece, until it gives undefined or the file holds `maxBytes`.
 * @param {string} path
 * @param {{ head?: string, next: (index: number) => string | undefined, foot?: string, maxBytes?: number }} content
 */
async function write(path, { head = '', next, foot = '', maxBytes = Number.POSITIVE_INFINITY }) {
  const stream = createWriteStream(`${path}.part`);
  let bytes = 0;
  let pending = head;
  const flush = async () => {
    bytes += Buffer.byteLength(pending);
    if (!stream.write(pending)) await once(stream, 'drain');
    pending = '';
  };
  for (let index = 0; bytes + pending.length < maxBytes; index++) {
    const piece = next(index);
    if (piece === undefined) break;
    pending += piece;
    if (pending.length >= CHUNK) await flush();
  }
  pending += foot;
  await flush();
  stream.end();
  await once(stream, 'close');
  renameSync(`${path}.part`, path);
}

const pad = (number, width) => String(number).padStart(width, '0');

/** Rows of ten fields, about 170 bytes each; quotes, quoted line breaks and UTF-8 where real files have them. */
function csv(path, megabytes) {
  const next = random(1);
  const pick = (list) => list[Math.floor(next() * list.length)];
  return write(path, {
    head: 'id,customer,email,city,amount,currency,ordered_at,status,note,reference\n',
    maxBytes: megabytes * 1e6,
    next: (index) => {
      const note =
        index % 50 === 0
          ? `"said ""${pick(WORDS)}"",\nthen left"`
          : `${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)}`;
      const number = Math.floor(next() * 1e6);
      return `${index + 1},Customer ${number},user${number}@example.com,${pick(CITIES)},${(next() * 1e4).toFixed(2)},EUR,2026-${pad((index % 12) + 1, 2)}-${pad((index % 28) + 1, 2)}T${pad(index % 24, 2)}:${pad(index % 60, 2)}:00Z,${index % 3 ? 'paid' : 'open'},${note},REF-${pad(index, 9)}-${pad(number, 6)}\n`;
    },
  });
}

function json(path, megabytes) {
  const next = random(2);
  const pick = (list) => list[Math.floor(next() * list.length)];
  return write(path, {
    head: '{"version":3,"source":"export","records":[\n',
    foot: '\n],"complete":true}\n',
    maxBytes: megabytes * 1e6,
    next: (index) =>
      `${index ? ',\n' : ''}${JSON.stringify({
        id: index,
        name: `${pick(WORDS)} ${pick(WORDS)}`,
        city: pick(CITIES),
        amount: Math.round(next() * 1e6) / 100,
        active: index % 2 === 0,
        parent: index % 7 ? index - 1 : null,
        tags: [pick(WORDS), pick(WORDS), pick(WORDS)],
        text: `He said "${pick(WORDS)} ${pick(WORDS)}" and ${pick(WORDS)}.\n`,
        position: { latitude: next() * 180 - 90, longitude: next() * 360 - 180 },
      })}`,
  });
}

function xml(path, megabytes) {
  const next = random(3);
  const pick = (list) => list[Math.floor(next() * list.length)];
  return write(path, {
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<orders xmlns="urn:example:orders">\n',
    foot: '</orders>\n',
    maxBytes: megabytes * 1e6,
    next: (index) =>
      `  <order id="${index}" status="${index % 3 ? 'paid' : 'open'}">\n    <customer>${pick(WORDS)} &amp; ${pick(WORDS)}</customer>\n    <city>${pick(CITIES)}</city>\n    <line sku="A${Math.floor(next() * 1e5)}" count="2">${(next() * 1e3).toFixed(2)}</line>\n    <line sku="B${Math.floor(next() * 1e5)}" count="1">${(next() * 1e3).toFixed(2)}</line>\n    <!-- ${pick(WORDS)} -->\n    <note>${pick(WORDS)} ${pick(WORDS)} ${pick(WORDS)}</note>\n  </order>\n`,
  });
}

function text(path, megabytes) {
  const next = random(4);
  return write(path, {
    maxBytes: megabytes * 1e6,
    next: () => {
      const words = [];
      for (let word = 4 + next() * 20; word > 0; word--) words.push(WORDS[Math.floor(next() * WORDS.length)]);
      return `${words.join(' ')}.\n`;
    },
  });
}

const CONTENT_TYPES =
  '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>';
const RELATIONSHIPS =
  '<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>';
const WORKBOOK =
  '<?xml version="1.0" encoding="UTF-8"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>';
const WORKBOOK_RELATIONSHIPS =
  '<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>';
const STYLES =
  '<?xml version="1.0" encoding="UTF-8"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" xfId="0"/><xf numFmtId="14" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>';
const SHEET_HEAD =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">';

/** One sheet of `rows` rows, the header among them, by 20 columns: shared strings, numbers, a date, a boolean. */
async function xlsx(path, rows) {
  const next = random(5);
  const strings = [];
  for (let column = 1; column <= 20; column++) strings.push(`Column ${column}`);
  for (let index = 0; index < 5000; index++)
    strings.push(`${WORDS[index % WORDS.length]} ${CITIES[index % CITIES.length]} ${index}`);
  const columns = Array.from({ length: 20 }, (_, at) => String.fromCharCode(65 + at));
  const cell = (column, row) => {
    const name = `${columns[column]}${row}`;
    if (row === 1) return `<c r="${name}" t="s"><v>${column}</v></c>`;
    if (column === 0) return `<c r="${name}"><v>${row - 1}</v></c>`;
    if (column === 1) return `<c r="${name}" s="1"><v>${40000 + (row % 5000)}</v></c>`;
    if (column === 2) return `<c r="${name}" t="b"><v>${row % 2}</v></c>`;
    if (column % 2) return `<c r="${name}" t="s"><v>${20 + Math.floor(next() * 5000)}</v></c>`;
    return `<c r="${name}"><v>${Math.round(next() * 1e6) / 100}</v></c>`;
  };
  function* sheet() {
    yield `${SHEET_HEAD}<dimension ref="A1:T${rows}"/><sheetData>`;
    for (let row = 1; row <= rows; row++)
      yield `<row r="${row}" spans="1:20">${columns.map((_, column) => cell(column, row)).join('')}</row>`;
    yield '</sheetData></worksheet>';
  }
  const shared = `<?xml version="1.0" encoding="UTF-8"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="${strings.length}" uniqueCount="${strings.length}">${strings.map((string) => `<si><t>${string}</t></si>`).join('')}</sst>`;
  await zip(path, [
    ['[Content_Types].xml', [CONTENT_TYPES]],
    ['_rels/.rels', [RELATIONSHIPS]],
    ['xl/workbook.xml', [WORKBOOK]],
    ['xl/_rels/workbook.xml.rels', [WORKBOOK_RELATIONSHIPS]],
    ['xl/styles.xml', [STYLES]],
    ['xl/sharedStrings.xml', [shared]],
    ['xl/worksheets/sheet1.xml', sheet()],
  ]);
}

const MAKERS = { csv, json, xml, text, xlsx, pdf, docx, jpeg };
const ENDINGS = {
  csv: 'csv',
  json: 'json',
  xml: 'xml',
  text: 'txt',
  xlsx: 'xlsx',
  pdf: 'pdf',
  docx: 'docx',
  jpeg: 'jpg',
};

/**
 * The path of an input of a kind and a size (megabytes; rows for `xlsx`, pages for
 * documents, megapixels for pictures), made if the folder does not hold it yet.
 * @param {string} folder
 * @param {keyof typeof MAKERS} kind
 * @param {number} size
 * @param {(message: string) => void} progress
 */
export async function input(folder, kind, size, progress) {
  const path = join(folder, `${kind}-${size}.${ENDINGS[kind]}`);
  if (!existsSync(path)) {
    progress(`making ${path}`);
    await MAKERS[kind](path, size);
  }
  return { path, bytes: statSync(path).size };
}
