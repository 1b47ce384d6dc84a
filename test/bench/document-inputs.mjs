// The documents and the picture that the benchmarks read: made on the spot, the same every time.

import { renameSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { random, WORDS } from './words.mjs';
import { zip } from './zip.mjs';

/** Words that end in a full stop. */
function sentence(next, words) {
  const list = Array.from({ length: words }, () => WORDS[Math.floor(next() * WORDS.length)]);
  return `${list.join(' ').replace(/^./, (letter) => letter.toUpperCase())}.`;
}

const paragraph = (next) =>
  Array.from({ length: 4 }, () => sentence(next, 8 + Math.floor(next() * 12))).join(' ');

/** Lines of at most `width` characters. */
function wrapped(text, width) {
  const lines = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A line as typesetting programs write it: pairs of letters and spaces moved by hundredths, a word in pieces. */
function kerned(next, text) {
  const pieces = text.replace(/[()\\]/g, '\\$&').split(/(?<= )|(?<=[AVTWYovwy])(?=[a-z])/);
  return `[${pieces.map((piece) => `(${piece})${Math.round(next() * 40 - 20)}`).join('')}] TJ`;
}

/** One page: running head, a heading, paragraphs of Helvetica, on every fifth page a ruled table, a page number. */
function pageContent(next, number) {
  const out = [];
  const show = (font, size, x, y, text) =>
    out.push(`BT /${font} ${size} Tf ${x} ${y} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`);
  show('F1', 8, 72, 760, 'The annual report of many words');
  show('F2', 16, 72, 720, `Chapter ${number}: ${sentence(next, 4)}`);
  let y = 690;
  const rows = number % 5 === 0 ? 8 : 0;
  while (y > 120 + rows * 20) {
    for (const line of wrapped(paragraph(next), 92)) {
      out.push(`BT /F1 10 Tf 72 ${y} Td ${kerned(next, line)} ET`);
      y -= 13;
    }
    y -= 9;
  }
  for (let row = 0; row <= rows && rows > 0; row++) {
    out.push(`0.5 w 72 ${y + 12} m 522 ${y + 12} l S`);
    if (row === rows) break;
    for (let column = 0; column < 5; column++)
      show('F1', 9, 76 + column * 90, y, row === 0 ? `Column ${column + 1}` : `${Math.floor(next() * 1e5)}`);
    y -= 20;
  }
  if (rows > 0)
    for (let column = 0; column <= 5; column++)
      out.push(`0.5 w ${72 + column * 90} ${y + 12} m ${72 + column * 90} ${y + 12 + rows * 20} l S`);
  show('F1', 8, 300, 40, String(number));
  return deflateSync(Buffer.from(out.join('\n')));
}

/** A text PDF of `pages` pages. */
export function pdf(path, pages) {
  const next = random(6);
  const pieces = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets = [];
  let length = pieces[0].length;
  const object = (body) => {
    offsets.push(length);
    const piece = Buffer.concat([
      Buffer.from(`${offsets.length} 0 obj\n`),
      Buffer.from(body),
      Buffer.from('\nendobj\n'),
    ]);
    length += piece.length;
    pieces.push(piece);
  };
  object('<< /Type /Catalog /Pages 2 0 R >>');
  object(
    `<< /Type /Pages /Count ${pages} /Kids [${Array.from({ length: pages }, (_, i) => `${5 + i * 2} 0 R`).join(' ')}] >>`,
  );
  object('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  object('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>');
  for (let page = 1; page <= pages; page++) {
    object(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 792] /Contents ${4 + page * 2} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>`,
    );
    const content = pageContent(next, page);
    object(
      Buffer.concat([
        Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  pieces.push(
    Buffer.from(
      `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  writeFileSync(`${path}.part`, Buffer.concat(pieces));
  renameSync(`${path}.part`, path);
}

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const run = (text, style = '') => `<w:r>${style}<w:t xml:space="preserve">${text}</w:t></w:r>`;

/** A Word document of about `pages` pages: headings, paragraphs with bold and italic runs, lists, tables. */
export async function docx(path, pages) {
  const next = random(7);
  function* body() {
    yield `<?xml version="1.0" encoding="UTF-8"?><w:document ${W}><w:body>`;
    for (let page = 1; page <= pages; page++) {
      yield `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(`Chapter ${page}`)}</w:p>`;
      for (let i = 0; i < 5; i++)
        yield `<w:p>${run(sentence(next, 12))}${run(sentence(next, 3), '<w:rPr><w:b/></w:rPr>')}${run(paragraph(next))}</w:p>`;
      for (let i = 0; i < 3; i++)
        yield `<w:p><w:pPr><w:pStyle w:val="ListParagraph"/></w:pPr>${run(sentence(next, 9))}</w:p>`;
      const cell = (text) => `<w:tc><w:p>${run(text)}</w:p></w:tc>`;
      yield `<w:tbl>${Array.from({ length: 5 }, () => `<w:tr>${Array.from({ length: 4 }, () => cell(String(Math.floor(next() * 1e5)))).join('')}</w:tr>`).join('')}</w:tbl>`;
    }
    yield '</w:body></w:document>';
  }
  const package_ = 'http://schemas.openxmlformats.org/package/2006';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
  await zip(path, [
    [
      '[Content_Types].xml',
      [
        `<?xml version="1.0"?><Types xmlns="${package_}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${word}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${word}.styles+xml"/></Types>`,
      ],
    ],
    [
      '_rels/.rels',
      [
        `<?xml version="1.0"?><Relationships xmlns="${package_}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
      ],
    ],
    [
      'word/_rels/document.xml.rels',
      [
        `<?xml version="1.0"?><Relationships xmlns="${package_}/relationships"><Relationship Id="rId1" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
      ],
    ],
    [
      'word/styles.xml',
      [
        `<?xml version="1.0"?><w:styles ${W}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>`,
      ],
    ],
    ['word/document.xml', body()],
  ]);
}

/** A photograph-like picture of `megapixels`: smooth shapes under noise, which compresses as badly as a photograph. */
export async function jpeg(path, megapixels) {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3));
  const height = Math.round((width * 3) / 4);
  const background = '#7a8a9a';
  const noise = { type: 'gaussian', mean: 128, sigma: 40 };
  const create = { width, height, channels: 3, background, noise };
  await sharp({ create, limitInputPixels: false }).jpeg({ quality: 80 }).toFile(`${path}.part`);
  renameSync(`${path}.part`, path);
}
