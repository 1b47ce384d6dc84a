// Writes fixtures/documents/ferry.epub: a book of two chapters, a cover and a table of contents. Deterministic.
import { writeFileSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

const page = (title, body) => `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>${title}</title></head><body>${body}</body></html>`;

const parts = {
  mimetype: 'application/epub+zip',
  'META-INF/container.xml':
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
  'OPS/book.opf': `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:x:ferry</dc:identifier><dc:title>The Ferry</dc:title><dc:creator>Ida Wren</dc:creator><dc:language>en</dc:language><dc:publisher>Ferrow Press</dc:publisher><dc:date>2026</dc:date></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/><item id="two" href="text/two%20.xhtml" media-type="application/xhtml+xml"/><item id="gone" href="text/gone.xhtml" media-type="application/xhtml+xml"/><item id="out" href="../../etc/passwd" media-type="application/xhtml+xml"/><item id="pic" href="pic/boat.png" media-type="image/png"/></manifest>
<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="gone"/><itemref idref="out"/></spine></package>`,
  'OPS/nav.xhtml': page(
    'Contents',
    '<nav epub:type="toc"><ol><li><a href="text/one.xhtml">Morning</a></li><li><a href="text/two%20.xhtml">Evening</a></li></ol></nav>',
  ),
  'OPS/text/one.xhtml': page(
    'Morning',
    `<section><h1>Morning</h1><p>The ferry left at <em>six</em>.<a epub:type="noteref" href="#n1">1</a> See <a href="two%20.xhtml">the evening</a> and <a href="https://example.org/timetable">the timetable</a>.</p><span epub:type="pagebreak" id="p2">2</span>
<img src="../pic/boat.png" alt="A boat"/><p/><p>Nobody&#160;was aboard &amp; nobody waved.</p><aside epub:type="footnote" id="n1"><p>Winter time.</p></aside></section>`,
  ),
  'OPS/text/two .xhtml': page(
    'Evening',
    '<p class="title"><b>Evening</b></p><p>It came back at nine,<br/>without lights.</p>',
  ),
  'OPS/pic/boat.png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    'base64',
  ),
};

/** A zip of `parts`, the first one stored as OCF wants it. */
function zip(parts) {
  const locals = [];
  const records = [];
  let offset = 0;
  for (const [index, [name, content]] of Object.entries(parts).entries()) {
    const bytes = Buffer.from(content);
    const packed = index === 0 ? bytes : deflateRawSync(bytes);
    const file = Buffer.from(name);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(0x800, 6);
    header.writeUInt16LE(index === 0 ? 0 : 8, 8);
    header.writeUInt16LE(0x21, 12);
    header.writeUInt32LE(crc32(bytes), 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(bytes.length, 22);
    header.writeUInt16LE(file.length, 26);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(20, 4);
    header.copy(record, 6, 4, 30);
    record.writeUInt32LE(offset, 42);
    locals.push(header, file, packed);
    records.push(record, file);
    offset += 30 + file.length + packed.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(records.length / 2, 8);
  end.writeUInt16LE(records.length / 2, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

writeFileSync(new URL('../../fixtures/documents/ferry.epub', import.meta.url), zip(parts));
