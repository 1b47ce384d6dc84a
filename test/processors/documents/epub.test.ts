import { describe, expect, it } from 'vitest';
import { epub } from '../../../processors/documents/epub.ts';
import { resolvePath } from '../../../processors/documents/xml-parts.ts';
import { memorySource, type Outcome, run } from '../../support/context.ts';
import { zipOf } from '../../support/zip.ts';

const zip = (parts: Readonly<Record<string, string>>): Buffer =>
  zipOf(Object.entries(parts).map(([name, data], at) => ({ name, data, stored: at === 0 })));

const CONTAINER =
  '<container><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

interface Book {
  readonly chapters: Readonly<Record<string, string>>;
  readonly manifest?: string;
  readonly spine?: string;
  readonly metadata?: string;
  readonly parts?: Readonly<Record<string, string>>;
}

function read({ chapters, manifest = '', spine, metadata = '', parts = {} }: Book): Promise<Outcome> {
  const names = Object.keys(chapters);
  const items = names
    .map((name) => `<item id="${name}" href="${name}" media-type="application/xhtml+xml"/>`)
    .join('');
  const order = spine ?? names.map((name) => `<itemref idref="${name}"/>`).join('');
  const files: Record<string, string> = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': CONTAINER,
    'OPS/book.opf': `<package><metadata>${metadata}</metadata><manifest>${items}${manifest}</manifest><spine toc="ncx">${order}</spine></package>`,
    ...Object.fromEntries(
      names.map((name) => [`OPS/${name}`, `<html><body>${chapters[name]}</body></html>`]),
    ),
    ...parts,
  };
  return run(epub, memorySource(zip(files), 'book.epub'));
}

const messages = ({ context }: Outcome): string => context.warnings.map(({ message }) => message).join('\n');

describe('a book', () => {
  it('is read in the order of its spine, each file once', async () => {
    const { text } = await read({
      chapters: { 'b.xhtml': '<p>two</p>', 'a.xhtml': '<p>one</p>' },
      spine: '<itemref idref="a.xhtml"/><itemref idref="b.xhtml"/><itemref idref="a.xhtml"/>',
    });
    expect(text).toBe('one\n\ntwo\n');
  });

  it('counts the notes about its files that are not given in full', async () => {
    const names = Array.from({ length: 6 }, (_, at) => [
      `${at}.xhtml`,
      `<p>a<b hidden="">secret ${at}</b></p>`,
    ]);
    const shown = messages(
      await read({
        chapters: { ...Object.fromEntries(names), '6.xhtml': '<p>a<img src="t.gif" width="1"/></p>' },
      }),
    );
    expect(shown).toMatch(
      /secret 0.*secret 1.*secret 2.*Hidden text is left out in 3 more places of the book/s,
    );
    expect(shown).toContain('1 picture of at most 3 pixels');
  });

  it('has metadata', async () => {
    const { context } = await read({
      chapters: { 'a.xhtml': '<p>x</p>' },
      metadata:
        '<dc:title>T</dc:title><dc:creator>A</dc:creator><dc:creator>B</dc:creator><dc:language>fr</dc:language><dc:publisher>P</dc:publisher><dc:date>1999</dc:date><meta property="dcterms:modified">2001</meta>',
    });
    expect(context.facts).toMatchObject({
      title: 'T',
      author: 'A; B',
      language: 'fr',
      publisher: 'P',
      published: '1999',
      documentModified: '2001',
    });
  });

  it('names pictures by position and keeps only external links', async () => {
    const { text } = await read({
      chapters: {
        'a.xhtml':
          '<p><img src="../pic/a.png" alt="A"/> <a href="b.xhtml#c">b</a> <a href="https://example.org">c</a></p>',
      },
      parts: { 'pic/a.png': 'x' },
    });
    expect(text).toBe('![A](book.epub!/pic/a.png) b [c](https://example.org)\n');
  });

  it('closes empty elements, as XHTML does, and drops printed page numbers', async () => {
    const { text } = await read({
      chapters: { 'a.xhtml': '<p>a<i/>b</p><div/><p>c<span epub:type="pagebreak">12</span></p>' },
    });
    expect(text).toBe('ab\n\nc\n');
  });

  it('takes titles from the table of contents if the text has no headings', async () => {
    const { text } = await read({
      chapters: { 'a.xhtml': '<p><b>Chapter  One</b></p><p>x</p>' },
      manifest: '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
      parts: {
        'OPS/toc.ncx':
          '<ncx><navMap><navPoint><navLabel><text>Chapter one</text></navLabel><content src="a.xhtml#s"/></navPoint></navMap></ncx>',
      },
    });
    expect(text).toBe('# Chapter One\n\nx\n');
  });
});

describe('a damaged or locked book', () => {
  it('reports missing files', async () => {
    const outcome = await read({
      chapters: { 'a.xhtml': '<p>x</p>' },
      manifest:
        '<item id="gone" href="gone.xhtml"/><item id="out" href="../../secret.xhtml"/><item id="far" href="https://example.org/x.xhtml"/>',
      spine:
        '<itemref idref="a.xhtml"/><itemref idref="gone"/><itemref idref="out"/><itemref idref="far"/><itemref idref="none"/>',
    });
    expect(outcome.text).toBe('x\n');
    expect(messages(outcome)).toContain('4 files of the book are left out');
  });

  const encryption = (uri: string, algorithm: string): Readonly<Record<string, string>> => ({
    'META-INF/encryption.xml': `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="${uri}"/></enc:CipherData></enc:EncryptedData></encryption>`,
  });
  const AES = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc';

  it('is refused when all of its text is encrypted', async () => {
    const book = { chapters: { 'a.xhtml': 'x' }, parts: encryption('OPS/a.xhtml', AES) };
    await expect(read(book)).rejects.toMatchObject({ code: 'ENCRYPTED_FILE' });
  });

  it('is read except for its encrypted parts', async () => {
    const outcome = await read({
      chapters: { 'a.xhtml': 'x', 'b.xhtml': 'y' },
      parts: encryption('OPS/a.xhtml', AES),
    });
    expect(outcome.text).toBe('y\n');
    expect(messages(outcome)).toContain('encrypted');
  });

  it('may have obfuscated fonts', async () => {
    const { text } = await read({
      chapters: { 'a.xhtml': 'x' },
      parts: encryption('OPS/a.xhtml', 'http://www.idpf.org/2008/embedding'),
    });
    expect(text).toBe('x\n');
  });

  it('without a package document is rejected as corrupt', async () => {
    const source = memorySource(zip({ mimetype: 'application/epub+zip', a: 'b' }), 'book.epub');
    await expect(run(epub, source)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it('is read without its container document', async () => {
    const source = memorySource(
      zip({
        mimetype: 'application/epub+zip',
        'x/p.opf':
          '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
        'x/a.xhtml': '<p>x</p>',
      }),
      'book.epub',
    );
    expect((await run(epub, source)).text).toBe('x\n');
  });
});

it.each([
  ['OPS/text/a.xhtml', '../pic/b%20c.png#x', 'OPS/pic/b c.png'],
  ['OPS/a.xhtml', '../../x', undefined],
  ['OPS/a.xhtml', '/x/./y', 'x/y'],
  ['a.xhtml', 'http://x/y', undefined],
  ['a.xhtml', '100%.png', '100%.png'],
])('from %s, %s is %s', (from, href, expected) => {
  expect(resolvePath(from, href)).toBe(expected);
});

describe('note marks', () => {
  it('lead to notes in another file, before or after them', async () => {
    const { text } = await read({
      chapters: {
        'first.xhtml': '<p id="n1"><a href="a.xhtml#r1">1</a>. Early note</p>',
        'a.xhtml':
          '<p>In 1945<sup><a id="r1" href="first.xhtml#n1">1</a></sup> it cost 20<a epub:type="noteref" href="last.xhtml#n2">3</a> euros.</p>',
        'b.xhtml': '<p>Also 20<a href="last.xhtml#n4">3</a>, and <a href="last.xhtml">the notes</a>.</p>',
        'last.xhtml':
          '<h2>Notes</h2><ul><li id="n2"><a href="a.xhtml">3</a> Late note</li></ul><p id="n4">[<a href="b.xhtml#r4">3</a>] Other note</p>',
      },
    });
    expect(text).toBe(
      '[^1]: Early note\n\nIn 1945[^1] it cost 20[^3] euros.\n\nAlso 20[^3-3], and the notes.\n\n## Notes\n\n[^3]: Late note\n\n[^3-3]: Other note\n',
    );
  });

  it('have labels that no other file uses', async () => {
    const chapter = (note: string): string =>
      `<p>x<a role="doc-noteref" href="#n">1</a></p><aside role="doc-footnote" id="n"><p>${note}</p></aside>`;
    const { text } = await read({ chapters: { 'a.xhtml': chapter('one'), 'b.xhtml': chapter('two') } });
    expect(text).toBe('x[^1]\n\n[^1]: one\n\nx[^1-2]\n\n[^1-2]: two\n');
  });

  it('whose note is missing stay apart from the text', async () => {
    const { text } = await read({
      chapters: { 'a.xhtml': '<p>20<a href="b.xhtml#gone">3</a> euros</p>', 'b.xhtml': '<p>y</p>' },
    });
    expect(text).toBe('20[^3] euros\n\ny\n');
  });
});
