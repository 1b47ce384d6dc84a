// Makes fixtures/documents/scan.pdf and form.pdf, byte for byte the same each time. Run: node test/support/make-pdf-fixtures.mjs
//
// With a picture of a page it also makes gauges-scan.pdf:
//   pdftoppm -r 150 -gray -png -singlefile fixtures/documents/gauges.pdf page
//   node test/support/make-pdf-fixtures.mjs page.png

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const FOLDER = new URL('../../fixtures/documents/', import.meta.url);
const ID = createHash('md5').update('lectern').digest();

function rc4(key, data) {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + state[i] + key[i % key.length]) & 255;
    [state[i], state[j]] = [state[j], state[i]];
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 255;
      j = (j + state[i]) & 255;
      [state[i], state[j]] = [state[j], state[i]];
      return byte ^ state[(state[i] + state[j]) & 255];
    }),
  );
}

/** ISO 32000-1, 7.6.3, revision 2: RC4 with 40 bits, the user password empty, the owner password `owner`. */
function standardSecurity() {
  const padding = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex');
  const owner = Buffer.concat([Buffer.from('owner'), padding]).subarray(0, 32);
  const o = rc4(createHash('md5').update(owner).digest().subarray(0, 5), padding);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(-44);
  const key = createHash('md5')
    .update(Buffer.concat([padding, o, permissions, ID]))
    .digest()
    .subarray(0, 5);
  const u = rc4(key, padding);
  return {
    key,
    dictionary: `<< /Filter /Standard /V 1 /R 2 /P -44 /O <${o.toString('hex')}> /U <${u.toString('hex')}> >>`,
  };
}

/** Objects are `[dictionary]` or `[dictionary, stream]`; strings in an encrypted file are written with `secret`. */
function pdf(objects, { info, security } = {}) {
  const keyOf = (number) =>
    createHash('md5')
      .update(Buffer.concat([security.key, Buffer.from([number & 255, number >> 8, 0, 0, 0])]))
      .digest()
      .subarray(0, 10);
  const pieces = [Buffer.from('%PDF-1.6\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets = [];
  let at = pieces[0].length;
  const all = security ? [...objects, [security.dictionary]] : objects;
  for (const [index, [dictionary, stream]] of all.entries()) {
    const number = index + 1;
    offsets.push(at);
    let body = dictionary;
    if (stream) {
      const bytes = security ? rc4(keyOf(number), Buffer.from(stream)) : Buffer.from(stream);
      body = Buffer.concat([
        Buffer.from(`${dictionary.slice(0, -2)}/Length ${bytes.length} >>\nstream\n`, 'latin1'),
        bytes,
        Buffer.from('\nendstream'),
      ]);
    }
    const piece = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(body, 'latin1'),
      Buffer.from('\nendobj\n'),
    ]);
    pieces.push(piece);
    at += piece.length;
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  pieces.push(
    Buffer.from(
      `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${all.length + 1} /Root 1 0 R ` +
        `${info ? `/Info ${info} 0 R ` : ''}${security ? `/Encrypt ${all.length} 0 R ` : ''}` +
        `/ID [<${ID.toString('hex')}> <${ID.toString('hex')}>] >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

/** A scan in two strips, its text layer drawn invisibly on the second page only, and a page with hidden text; encrypted. */
async function scan() {
  const drawn = (y) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="620" height="438"><rect width="620" height="438" fill="#fff"/>` +
        `<g stroke="#333" stroke-width="6" fill="none"><path d="M60 ${y} h480 M60 ${y + 50} h440 M60 ${y + 100} h470"/>` +
        `<circle cx="310" cy="${y + 180}" r="40"/></g></svg>`,
    );
  const strip = (y) => sharp(drawn(y)).grayscale().jpeg({ quality: 50 }).toBuffer();
  const [upper, lower] = await Promise.all([strip(120), strip(90)]);
  const page = (contents, resources) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contents} 0 R /Resources << ${resources} >> >>`;
  const image = [
    '<< /Type /XObject /Subtype /Image /Width 620 /Height 438 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode >>',
  ];
  const strips = 'q 595 0 0 421 0 421 cm /Upper Do Q q 595 0 0 421 0 0 cm /Lower Do Q';
  const images = '/XObject << /Upper 9 0 R /Lower 10 0 R >>';
  const fonts = '/Font << /F 11 0 R >>';
  return pdf(
    [
      ['<< /Type /Catalog /Pages 2 0 R >>'],
      ['<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>'],
      [page(6, images)],
      [page(7, `${images} ${fonts}`)],
      [page(8, fonts)],
      ['<< >>', strips],
      [
        '<< >>',
        `BT 3 Tr /F 14 Tf 58 690 Td (Lock keeper's log, copied by hand) Tj 0 -48 Td (Four barges waited for the upper gate.) Tj ET ${strips}`,
      ],
      [
        '<< >>',
        'BT /F 12 Tf 72 760 Td (The gate was closed at noon because of the flood.) Tj ET ' +
          'BT 1 1 1 rg /F 12 Tf 72 730 Td (Written in white: nobody is meant to see this line.) Tj ET ' +
          'BT 0 g /F 12 Tf 72 700 Td (It was opened again at six.) Tj ET ' +
          'BT /F 0.4 Tf 72 690 Td (And these words are too small to read.) Tj ET',
      ],
      [...image, upper],
      [...image, lower],
      [HELVETICA],
    ],
    { security: standardSecurity() },
  );
}

/** Filled fields, a comment, a link, an outline, an attachment, turned text, and a script that nobody runs. */
function form() {
  return pdf(
    [
      [
        '<< /Type /Catalog /Pages 2 0 R /Lang (en) /AcroForm << /Fields [6 0 R 7 0 R 8 0 R] /DR << /Font << /F 5 0 R >> >> >> ' +
          '/Outlines 11 0 R /Names << /EmbeddedFiles << /Names [(tariff.csv) 13 0 R] >> >> ' +
          '/OpenAction << /S /JavaScript /JS (app.alert\\("hello"\\)) >> >>',
      ],
      ['<< /Type /Pages /Kids [3 0 R] /Count 1 >>'],
      [
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 595] /Contents 4 0 R /Resources << /Font << /F 5 0 R /B 15 0 R >> >> ' +
          '/Annots [6 0 R 7 0 R 8 0 R 9 0 R 10 0 R] >>',
      ],
      [
        '<< >>',
        'BT /B 18 Tf 40 540 Td (Mooring permit) Tj ET ' +
          'BT /F 11 Tf 40 505 Td (Fill in the fields below and read the ) Tj (rules) Tj ( before you moor.) Tj ' +
          '0 -16 Td (The harbour master keeps the second copy.) Tj ET ' +
          'BT /F 11 Tf 40 455 Td (Name of the boat:) Tj 0 -24 Td (Length in metres:) Tj 0 -24 Td (Insured:) Tj ET ' +
          'BT /F 8 Tf 0 1 -1 0 20 60 Tm (Form 7b, printed in the harbour office) Tj ET',
      ],
      [HELVETICA],
      [
        '<< /Type /Annot /Subtype /Widget /FT /Tx /T (boat) /TU (Name of the boat) /V (Heron | II) /Rect [160 450 380 468] /P 3 0 R /F 4 >>',
      ],
      [
        '<< /Type /Annot /Subtype /Widget /FT /Tx /T (length) /V (11.5) /Rect [160 426 380 444] /P 3 0 R /F 4 >>',
      ],
      [
        '<< /Type /Annot /Subtype /Widget /FT /Btn /T (insured) /V /Yes /AS /Yes /Rect [160 402 174 416] /P 3 0 R /F 4 >>',
      ],
      [
        '<< /Type /Annot /Subtype /Text /Contents (Is the length with or without the rudder?) /T (Ada) /M (D:20240131120000Z) /Rect [385 426 400 444] /P 3 0 R >>',
      ],
      [
        '<< /Type /Annot /Subtype /Link /Rect [216 502 244 516] /A << /S /URI /URI (https://example.org/rules) >> /P 3 0 R >>',
      ],
      ['<< /First 12 0 R /Last 12 0 R /Count 1 >>'],
      ['<< /Title (Mooring permit) /Parent 11 0 R /Dest [3 0 R /Fit] >>'],
      ['<< /Type /Filespec /F (../../tariff.csv) /EF << /F 14 0 R >> >>'],
      ['<< /Type /EmbeddedFile >>', 'metres,fee\n10,4\n12,5\n'],
      ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>'],
      ["<< /Title (Mooring permit) /Author (Harbour office) /CreationDate (D:20240130080000+01'00') >>"],
    ],
    { info: 16 },
  );
}

writeFileSync(fileURLToPath(new URL('scan.pdf', FOLDER)), await scan());
writeFileSync(fileURLToPath(new URL('form.pdf', FOLDER)), form());

/** One picture, which fills its page at 150 dpi. */
async function pictured(file) {
  const { data, info } = await sharp(file)
    .grayscale()
    .jpeg({ quality: 60 })
    .toBuffer({ resolveWithObject: true });
  const [width, height] = [(info.width * 72) / 150, (info.height * 72) / 150];
  return pdf([
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    ['<< /Type /Pages /Kids [3 0 R] /Count 1 >>'],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /Page 5 0 R >> >> >>`,
    ],
    ['<< >>', `q ${width} 0 0 ${height} 0 0 cm /Page Do Q`],
    [
      `<< /Type /XObject /Subtype /Image /Width ${info.width} /Height ${info.height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode >>`,
      data,
    ],
  ]);
}

const [page] = process.argv.slice(2);
if (page) writeFileSync(fileURLToPath(new URL('gauges-scan.pdf', FOLDER)), await pictured(page));
