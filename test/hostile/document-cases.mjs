// Office documents, books, pages and letters made to hurt (cases 109-126): parts that unpack without end, tables in
// tables, spans of a thousand million cells, styles in circles, links to programs, files asked for from elsewhere.

import { compoundOf } from '../support/compound.mjs';
import { file, repeated } from './make.mjs';
import { packageOf, unpacksTo } from './package-file.mjs';

const MEGABYTE = 2 ** 20;
const bounded = { bounded: true };
const bomb = { error: 'LIMIT_EXCEEDED' };
const elsewhere = 'http://127.0.0.1:9/x';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const R = `xmlns:r="${OFFICE}"`;

/** Relations by id: `{ rId1: ['image', 'media/a.png'] }`; a third item is the mode. */
const relations = (all) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(all)
    .map(
      ([id, [type, target, mode]]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
    )
    .join('')}</Relationships>`;

const types = (main, type) =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;

const wordHead = `<w:document ${W} ${R}><w:body>`;
const paragraph = (text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const word = (body, { related = {}, ...parts } = {}) =>
  packageOf({
    '[Content_Types].xml': types('word/document.xml', 'wordprocessingml.document'),
    '_rels/.rels': relations({ rId1: ['officeDocument', 'word/document.xml'] }),
    'word/document.xml':
      typeof body === 'string' ? `${wordHead}${body}${paragraph('after')}</w:body></w:document>` : body,
    'word/_rels/document.xml.rels': relations(related),
    ...parts,
  });

const P = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ${R}`;
const slide = (text) =>
  `<p:sld ${P}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`;
const slides = (count, { first = slide('after'), target = (n) => `slides/slide${n}.xml`, ...parts } = {}) => {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return packageOf({
    '[Content_Types].xml': types('ppt/presentation.xml', 'presentationml.presentation'),
    '_rels/.rels': relations({ rId1: ['officeDocument', 'ppt/presentation.xml'] }),
    'ppt/presentation.xml': `<p:presentation ${P}><p:sldIdLst>${numbers.map((n) => `<p:sldId id="${n + 255}" r:id="r${n}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      Object.fromEntries(numbers.map((n) => [`r${n}`, ['slide', target(n)]])),
    ),
    ...Object.fromEntries(
      numbers.map((n) => [`ppt/slides/slide${n}.xml`, n === 1 ? first : slide(`slide ${n}`)]),
    ),
    ...parts,
  });
};

const openHead =
  '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:xlink="http://www.w3.org/1999/xlink">';
const open = (body, { styles = '', manifest = '' } = {}) =>
  packageOf({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/>${manifest}</manifest:manifest>`,
    'content.xml':
      typeof body === 'string'
        ? `${openHead}<office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}<text:p>after</text:p></office:text></office:body></office:document-content>`
        : body,
  });

const container =
  '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';
const book = (chapter, { items = '', spine = '', href = 'a.xhtml', ...parts } = {}) =>
  packageOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': container,
    'book.opf': `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="a" href="${href}" media-type="application/xhtml+xml"/>${items}</manifest><spine><itemref idref="a"/>${spine}</spine></package>`,
    'a.xhtml': chapter,
    ...parts,
  });
const chapter = (body) =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><body>${body}<p>after</p></body></html>`;

const nested = (times, from, to, inside = '') => from.repeat(times) + inside + to.repeat(times);
const after = { contains: 'after' };
const one = (name, fileName, content, expect = bounded, more = {}) => ({
  name,
  make: file(fileName, content),
  expect,
  ...more,
});

const encrypted = () =>
  compoundOf([
    { name: 'EncryptionInfo', data: Buffer.alloc(200, 4) },
    { name: 'EncryptedPackage', data: Buffer.alloc(9000, 7) },
  ]);

const laughs = (element) => {
  let text = '<!DOCTYPE x [<!ENTITY e0 "ha">';
  for (let level = 1; level < 10; level++) text += `<!ENTITY e${level} "${`&e${level - 1};`.repeat(10)}">`;
  return `${text}]>${element}`;
};

const WORD_CASES = [
  one('docx: a part of 1 GB', 'a.docx', () => word(unpacksTo(2 ** 30, paragraph('bomb'), wordHead)), bomb),
  one('docx: 300 000 paragraphs', 'a.docx', () => word(paragraph('text').repeat(300_000)), bounded, {
    seconds: 30,
  }),
  one('docx: 3000 tables in tables', 'a.docx', () =>
    word(nested(3000, '<w:tbl><w:tr><w:tc>', `${paragraph('in')}</w:tc></w:tr></w:tbl>`)),
  ),
  one('docx: 100 000 controls in controls', 'a.docx', () =>
    word(nested(100_000, '<w:sdt><w:sdtContent>', '</w:sdtContent></w:sdt>')),
  ),
  one(
    'docx: a cell over a thousand million columns',
    'a.docx',
    () =>
      word(
        `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr>${paragraph('wide')}</w:tc></w:tr></w:tbl>`,
      ),
    after,
  ),
  one(
    'docx: 100 000 merged rows of 60 columns',
    'a.docx',
    () =>
      word(
        `<w:tbl>${`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="60"/><w:vMerge/></w:tcPr>${paragraph('wide and long')}</w:tc></w:tr>`.repeat(50_000)}</w:tbl>`,
      ),
    bounded,
    { seconds: 30 },
  ),
  one('docx: 200 000 runs in a paragraph', 'a.docx', () =>
    word(
      `<w:p>${'<w:r><w:rPr><w:b/></w:rPr><w:t>a*</w:t></w:r><w:r><w:t>_b</w:t></w:r>'.repeat(100_000)}</w:p>`,
    ),
  ),
  one(
    'docx: styles, numbers and notes in circles',
    'a.docx',
    () =>
      word(
        '<w:p><w:pPr><w:pStyle w:val="A"/><w:numPr><w:ilvl w:val="999999999"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>in</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>',
        {
          related: {
            r1: ['styles', 'styles.xml'],
            r2: ['numbering', 'numbering.xml'],
            r3: ['footnotes', 'footnotes.xml'],
          },
          'word/styles.xml': `<w:styles ${W}><w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/><w:link w:val="A"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>`,
          'word/numbering.xml': `<w:numbering ${W}><w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="A"/></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
          'word/footnotes.xml': `<w:footnotes ${W}><w:footnote w:id="2"><w:p><w:r><w:t>note</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:footnote></w:footnotes>`,
        },
      ),
    after,
  ),
  one(
    'docx: links to programs and files',
    'a.docx',
    () =>
      word(
        '<w:p><w:hyperlink r:id="r1"><w:r><w:t>one</w:t></w:r></w:hyperlink><w:hyperlink r:id="r2"><w:r><w:t>two</w:t></w:r></w:hyperlink></w:p>',
        {
          related: {
            r1: ['hyperlink', 'javascript:alert(1)', 'External'],
            r2: ['hyperlink', 'file:///etc/passwd', 'External'],
          },
        },
      ),
    { contains: 'after', without: 'alert(1)' },
  ),
  one(
    'docx: pictures, templates and frames from elsewhere',
    'a.docx',
    () =>
      word(
        '<w:p><w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:link="r1"/><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="r2"/></w:drawing></w:r></w:p><w:altChunk r:id="r3"/>',
        {
          related: {
            r1: ['image', elsewhere, 'External'],
            r2: ['image', 'file:///etc/passwd', 'External'],
            r3: ['aFChunk', '../../../../etc/passwd'],
            r4: ['attachedTemplate', elsewhere, 'External'],
            r5: ['subDocument', elsewhere, 'External'],
          },
          'word/vbaProject.bin': 'macro',
          'word/embeddings/oleObject1.bin': 'object',
        },
      ),
    { contains: 'after', without: 'root:' },
  ),
  one('docx: entities in entities', 'a.docx', () =>
    word(Buffer.from(laughs(`${wordHead}${paragraph('&e9;')}</w:body></w:document>`))),
  ),
  one(
    'docx: names of the prototype',
    'a.docx',
    () =>
      word(
        '<w:p><w:pPr><w:pStyle w:val="__proto__"/></w:pPr><w:r><w:footnoteReference w:id="constructor"/></w:r></w:p>',
        {
          related: { __proto__x: ['styles', '__proto__'], constructor: ['footnotes', 'constructor'] },
        },
      ),
    after,
  ),
  ...['docx', 'xlsx', 'pptx'].map((extension) =>
    one(`${extension}: a password`, `a.${extension}`, encrypted, { error: 'ENCRYPTED_FILE' }),
  ),
];

const SLIDE_CASES = [
  one('pptx: a slide of 1 GB', 'a.pptx', () =>
    slides(1, { first: unpacksTo(2 ** 30, '<a:p/>', `<p:sld ${P}>`) }),
  ),
  one('pptx: 5000 slides', 'a.pptx', () => slides(5000), { fact: ['slides', 5000] }, { seconds: 30 }),
  one('pptx: slides outside the package', 'a.pptx', () =>
    slides(3, { target: (n) => (n === 1 ? 'slides/slide1.xml' : '../../../../etc/passwd') }),
  ),
  one(
    'pptx: one slide 50 000 times',
    'a.pptx',
    () =>
      slides(1, {
        'ppt/presentation.xml': `<p:presentation ${P}><p:sldIdLst>${'<p:sldId id="256" r:id="r1"/>'.repeat(50_000)}</p:sldIdLst></p:presentation>`,
      }),
    bounded,
    { seconds: 30 },
  ),
  one('pptx: 100 000 groups in groups', 'a.pptx', () =>
    slides(1, {
      first: `<p:sld ${P}><p:cSld><p:spTree>${nested(100_000, '<p:grpSp>', '</p:grpSp>')}</p:spTree></p:cSld></p:sld>`,
    }),
  ),
  one('pptx: a table of 100 000 merged cells', 'a.pptx', () =>
    slides(1, {
      first: `<p:sld ${P}><p:cSld><p:spTree><p:graphicFrame><a:graphic><a:graphicData><a:tbl>${`<a:tr><a:tc gridSpan="1000000000" rowSpan="1000000000"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr>`.repeat(1000)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>`,
    }),
  ),
];

const OPEN_CASES = [
  one(
    'odt: content of 1 GB',
    'a.odt',
    () => open(unpacksTo(2 ** 30, '<text:p>bomb</text:p>', `${openHead}<office:body><office:text>`)),
    bomb,
  ),
  one('odt: two thousand million blanks', 'a.odt', () =>
    open('<text:p>a<text:s text:c="2000000000"/>b</text:p>'),
  ),
  one('odt: a table of 10^18 cells', 'a.odt', () =>
    open(
      '<table:table><table:table-column table:number-columns-repeated="1000000000"/><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
    ),
  ),
  one('odt: 3000 tables in tables', 'a.odt', () =>
    open(
      nested(
        3000,
        '<table:table><table:table-row><table:table-cell>',
        '</table:table-cell></table:table-row></table:table>',
        '<text:p>in</text:p>',
      ),
    ),
  ),
  one('odt: 100 000 lists in lists', 'a.odt', () =>
    open(nested(100_000, '<text:list><text:list-item>', '</text:list-item></text:list>')),
  ),
  one(
    'odt: styles in a circle',
    'a.odt',
    () =>
      open('<text:p text:style-name="A">in</text:p>', {
        styles:
          '<style:style style:name="A" style:parent-style-name="B"/><style:style style:name="B" style:parent-style-name="A"/>',
      }),
    after,
  ),
  one(
    'odt: a password',
    'a.odt',
    () =>
      open('', {
        manifest:
          '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml" manifest:size="9"><manifest:encryption-data/></manifest:file-entry>',
      }),
    { error: 'ENCRYPTED_FILE' },
  ),
];

const BOOK_CASES = [
  one('epub: a chapter of 1 GB', 'a.epub', () => book(unpacksTo(2 ** 30, '<p>bomb</p>', '<html><body>'))),
  one(
    'epub: chapters outside the book',
    'a.epub',
    () =>
      book(chapter(''), {
        items:
          '<item id="b" href="../../../../etc/passwd" media-type="application/xhtml+xml"/><item id="c" href="file:///etc/passwd" media-type="application/xhtml+xml"/>',
        spine: '<itemref idref="b"/><itemref idref="c"/>',
      }),
    { contains: 'after', without: 'root:' },
  ),
  one(
    'epub: styles and pictures from elsewhere',
    'a.epub',
    () =>
      book(
        `<html xmlns="http://www.w3.org/1999/xhtml"><head><link rel="stylesheet" href="${elsewhere}"/></head><body><img src="${elsewhere}"/><p>after</p></body></html>`,
      ),
    after,
  ),
  one(
    'epub: locked chapters',
    'a.epub',
    () =>
      book(Buffer.alloc(5000, 200), {
        'META-INF/encryption.xml':
          '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><enc:CipherData><enc:CipherReference URI="a.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>',
      }),
    { error: 'ENCRYPTED_FILE' },
  ),
  one(
    'epub: no container',
    'a.epub',
    () => packageOf({ mimetype: 'application/epub+zip', 'a.xhtml': chapter('') }),
    { error: 'CORRUPT_FILE' },
  ),
  one(
    'epub: one chapter 100 000 times',
    'a.epub',
    () => book(chapter(''), { spine: '<itemref idref="a"/>'.repeat(100_000) }),
    bounded,
    { seconds: 30 },
  ),
];

const PAGE_CASES = [
  one('html: 1 000 000 boxes in boxes', 'a.html', () => `<html>${'<div>'.repeat(1_000_000)}after`, bounded, {
    seconds: 30,
  }),
  one(
    'html: 3000 tables in tables',
    'a.html',
    () => `<html>${nested(3000, '<table><tr><td>', '</td></tr></table>', 'in')}`,
  ),
  one(
    'html: 500 000 marks never closed',
    'a.html',
    () => `<html><p>${'<b><i><a href=x>'.repeat(170_000)}after`,
    bounded,
    { seconds: 30 },
  ),
  one(
    'html: a cell over 10^18 cells',
    'a.html',
    '<html><table><tr><td colspan=1000000000 rowspan=1000000000>x</table><p>after',
    after,
  ),
  one(
    'html: 3000 x 1000 wide cells',
    'a.html',
    () => `<html><table>${`<tr>${'<td colspan=1000 rowspan=65534>x'.repeat(10)}`.repeat(3000)}</table>`,
    bounded,
    { seconds: 30 },
  ),
  one(
    'html: 100 000 attributes',
    'a.html',
    () => `<html><p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}>after`,
    after,
  ),
  one('html: 20 MB of <', 'a.html', () => `<html>${'<'.repeat(20 * MEGABYTE)}`, bounded, {
    full: true,
    seconds: 30,
  }),
  one('html: a comment never closed', 'a.html', () => `<html><p>before<!--${'<!-- x '.repeat(1_000_000)}`, {
    contains: 'before',
  }),
  one('html: 200 000 lists in lists', 'a.html', () => `<html>${'<ul><li>'.repeat(100_000)}after`),
  one(
    'html: links to programs',
    'a.html',
    `<html><p>after <a href="jav&#09;ascript:alert(1)">x</a><a href=" vbscript:alert(1)">y</a><iframe src="${elsewhere}"></iframe><img src="${elsewhere}">`,
    { contains: 'after', without: 'alert(1)' },
  ),
  one('html: one word of 30 MB', 'a.html', () => `<html><p>${'a'.repeat(30 * MEGABYTE)}`, bounded, {
    seconds: 30,
  }),
  one('rtf: a million groups', 'a.rtf', () => `{\\rtf1 ${'{'.repeat(1_000_000)}after`),
  one('rtf: two thousand million bytes of binary', 'a.rtf', '{\\rtf1 before\\bin2000000000 x}', {
    contains: 'before',
  }),
  one(
    'rtf: a million rows',
    'a.rtf',
    () => `{\\rtf1 ${'\\trowd\\cellx99999999999 \\intbl a\\cell\\row'.repeat(300_000)} after}`,
    bounded,
    { seconds: 30 },
  ),
  one(
    'rtf: a row of a million cells',
    'a.rtf',
    () => `{\\rtf1 \\trowd${'\\cellx1'.repeat(500_000)}${'\\intbl a\\cell'.repeat(500_000)}\\row after}`,
    bounded,
    { seconds: 30 },
  ),
  one(
    'rtf: numbers beyond measure',
    'a.rtf',
    '{\\rtf1\\uc999999999999 \\li99999999999999999\\ilvl-5\\u99999999 before\\uc0\\u-1 after}',
  ),
  one(
    'rtf: fields in fields',
    'a.rtf',
    () =>
      `{\\rtf1 ${'{\\field{\\*\\fldinst HYPERLINK "javascript:alert(1)"}{\\fldrslt '.repeat(20_000)}after`,
    { bounded: true, without: 'alert(1)' },
  ),
  {
    name: 'rtf: an object without end',
    make: repeated(
      'a.rtf',
      '0123456789abcdef',
      { smoke: 3e7, full: 3e8 },
      { head: '{\\rtf1 before {\\object{\\*\\objdata ' },
    ),
    expect: bounded,
    seconds: 30,
  },
];

const LETTER_CASES = [
  one(
    'mail: 3000 mails in mails',
    'a.eml',
    () => `${'From: a@b.c\r\nContent-Type: message/rfc822\r\n\r\n'.repeat(3000)}Subject: x\r\n\r\nafter\r\n`,
  ),
  one(
    'mail: 3000 parts in parts',
    'a.eml',
    () =>
      `From: a@b.c\r\nMIME-Version: 1.0\r\n${Array.from({ length: 3000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join('')}\r\nafter\r\n`,
    bounded,
    { seconds: 30 },
  ),
  one(
    'mail: 100 000 encoded words',
    'a.eml',
    () => `From: a@b.c\r\nSubject: ${'=?utf-8?B?YQ==?=\r\n '.repeat(100_000)}\r\n\r\nafter\r\n`,
  ),
  one(
    'mail: a name in 100 000 pieces',
    'a.eml',
    () =>
      `From: a@b.c\r\nContent-Type: text/plain;${Array.from({ length: 100_000 }, (_, n) => `\r\n name*${n}=a`).join(';')}\r\n\r\nafter\r\n`,
  ),
  one(
    'mail: 200 000 addresses',
    'a.eml',
    () => `From: a@b.c\r\nTo: ${'"a,<b" <x@y.z>, '.repeat(200_000)}\r\n\r\nafter\r\n`,
    bounded,
    { seconds: 30 },
  ),
  one(
    'mail: groups in groups of addresses',
    'a.eml',
    () => `From: a@b.c\r\nTo: ${'g:('.repeat(200_000)}\r\n\r\nafter\r\n`,
    bounded,
    { seconds: 30 },
  ),
];

export const DOCUMENT_CASES = [
  ...WORD_CASES,
  ...SLIDE_CASES,
  ...OPEN_CASES,
  ...BOOK_CASES,
  ...PAGE_CASES,
  ...LETTER_CASES,
];
