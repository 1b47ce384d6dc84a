// Addresses of files inside a file: every one that an answer shows is read, as it stands, by whoever got the answer.

import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createMemoryCache, createReader, createWorkspace, type Reader } from '../src/index.ts';
import { createTools, type Tool } from '../src/tools/index.ts';
import { p as paragraph, r, wordFile } from './processors/documents/word-file.ts';
import { outlookMessage } from './support/compound.mjs';
import { someOf } from './support/draws.ts';
import { contentOf, readOk, walk } from './support/walk.ts';
import { zipOf } from './support/zip.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const files = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['conversations', 'protected'].includes(entry.name))
  .flatMap(({ name }) => readdirSync(join(FIXTURES, name)).map((file) => `${name}/${file}`))
  .filter((path) => !path.endsWith('.expected.md'));
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The targets of links and pictures, and the code spans that are addresses. */
function addressesIn(text: string): string[] {
  const links = /\]\((?:<((?:\\[<>]|[^<>\n])*)>|([^()\s]*))\)/g;
  const targets = [...text.matchAll(links)].map(
    ([, angled, plain = '']) => angled?.replace(/\\([<>])/g, '$1') ?? plain,
  );
  const code = /(`+) ?((?:(?!\1)[^\n])*!\/(?:(?!\1)[^\n])*?) ?\1/g;
  const spans = [...text.replace(links, '').matchAll(code)].map(([, , span = '']) => span);
  return [...targets, ...spans].filter((target) => target !== '' && !/^(?:[a-z]+:|#)/i.test(target));
}

/** Lists its files as rows, below one line that says how to read them. */
const listed = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const path = /^([^",]+[^/",]),\d/.exec(line)?.[1];
    return path === undefined ? [] : [path];
  });

let root: string;
let reader: Reader;
let readFileTool: Tool;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-addresses-'));
  const workspace = createWorkspace({ root });
  reader = createReader({ environment: {}, workspace, cache: createMemoryCache() });
  const tool = createTools({ reader }).find(({ name }) => name === 'read_file');
  if (!tool) throw new Error('There is no `read_file`.');
  readFileTool = tool;
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function put(path: string, bytes: Uint8Array): Promise<string> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), bytes);
  return path;
}

async function expectReadable(address: string): Promise<void> {
  expect(await reader.read(address), address).toMatchObject({ success: true });
  expect(await readFileTool.run({ path: address }), address).toMatchObject({ isError: false });
}

describe.each(someOf(files))('%s', (path) => {
  it('shows addresses that are read from a path, from bytes and in a workspace', async () => {
    const host = createReader({ environment: {} });
    const name = basename(path);
    const bytes = readFileSync(join(FIXTURES, path));
    const folder = `reports of (2026)/${dirname(path)}`;
    await mkdir(join(root, folder), { recursive: true });
    await cp(join(FIXTURES, path), join(root, folder, name));
    const shown = await readOk(host, join(FIXTURES, path), { all: true });
    const inWorkspace = await readOk(reader, `${folder}/${name}`, { all: true });
    const addresses = addressesIn(shown.text).filter((address) => address.includes('!/'));
    const rows = shown.fileType === 'archive' ? listed(shown.text).map((row) => `${name}!/${row}`) : [];
    for (const address of [...addresses, ...rows]) {
      expect(address.startsWith(`${name}!/`), address).toBe(true);
      const entry = address.slice(name.length + 2);
      expect(await host.read(`${FIXTURES}${dirname(path)}/${address}`), address).toMatchObject({
        success: true,
      });
      expect(await host.read({ bytes, name, entry }), address).toMatchObject({ success: true });
      await expectReadable(`${folder}/${address}`);
    }
    expect(addressesIn(inWorkspace.text).filter((address) => address.includes('!/'))).toEqual(
      addresses.map((address) => `${folder}/${address}`),
    );
    // Any other target is a file beside this one.
    for (const target of addressesIn(shown.text).filter((address) => !address.includes('!/')))
      expect(await host.read({ bytes, name, entry: target }), target).toMatchObject({ success: false });
  });
});

it('finds addresses in the fixtures of every kind that holds files', async () => {
  const host = createReader({ environment: {} });
  const found = new Set<string>();
  for (const path of files) {
    const { text, processor } = await readOk(host, join(FIXTURES, path), { all: true });
    if (addressesIn(text).some((address) => address.includes('!/'))) found.add(processor);
  }
  expect([...found].sort()).toEqual(['docx', 'eml', 'epub', 'mbox', 'msg', 'tnef']);
});

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const picture = (id: string): string =>
  `<w:drawing><wp:inline><wp:docPr id="1" name="x" descr="${id}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>`;
const run = (content: string): string => `<w:r>${content}</w:r>`;
const escaped = (name: string): string =>
  name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A document with one picture for each name, every other one in a table. */
function withPictures(names: readonly string[]): Buffer {
  const body = names.map((_, i) => {
    const one = paragraph(r('See ') + run(picture(`rId${i + 10}`)));
    return i % 2 === 0 ? one : `<w:tbl><w:tr><w:tc>${one}</w:tc></w:tr></w:tbl>`;
  });
  return wordFile({
    body: body.join(''),
    links: names.map(
      (name, i) => [`rId${i + 10}`, 'image', escaped(`media/${encodeURIComponent(name)}`)] as const,
    ),
    parts: Object.fromEntries(names.map((name) => [`word/media/${name}`, 'text of a part'])),
  });
}

describe('an address', () => {
  const names = [
    'a b (1).png',
    'ü#%20.png',
    '[x]*_y_.png',
    'back`tick.png',
    'bar|bar.png',
    '1 < 2 > 0.png',
    'a!/b.png',
  ];

  it.each(['plain.docx', 'odd (1) [x] #2 50%.docx', 'ä `b` <c>.docx', 'a!/b.docx', 'x|y.docx'])(
    'in %s is read back whatever the names hold',
    async (file) => {
      const path = await put(`names/${file}`, withPictures(names));
      const { text } = await readOk(reader, path, { all: true });
      const addresses = addressesIn(text).map((address) => address.replaceAll('\\|', '|'));
      expect(addresses).toEqual(names.map((name) => `${path}!/word/media/${name}`));
      for (const address of addresses)
        expect(contentOf([await readOk(reader, address)])).toBe('text of a part');
    },
  );

  it('is left out where its name hides characters, and where nothing is there', async () => {
    const bytes = wordFile({
      body: paragraph(run(picture('rId10')) + run(picture('rId11'))),
      links: [
        ['rId10', 'image', 'media/a&#x202e;gnp.png'],
        ['rId11', 'image', 'media/missing.png'],
      ],
      parts: { 'word/media/a\u202egnp.png': 'x' },
    });
    const { text } = await readOk(reader, { bytes, name: 'h.docx' });
    expect(text).toContain('![rId10]()![rId11]()');
  });

  it('goes through archives and what is only packed', async () => {
    const document = withPictures(['quay.png']);
    const zip = zipOf([{ name: 'in/survey.docx', data: document }]);
    for (const [path, entry] of [
      [await put('deep/all.zip', zip), 'in/survey.docx'],
      [await put('deep/survey.docx.gz', gzipSync(document)), undefined],
      [
        await put('deep/box.mbox', Buffer.from(`From a@b.c Mon Jan  1 00:00:00 2024\n${mailWith(document)}`)),
        '1.eml!/survey.docx',
      ],
    ] as const) {
      const { text } = await readOk(reader, { path, ...(entry !== undefined && { entry }) });
      const [address = ''] = addressesIn(text);
      expect(address).toMatch(/!\/word\/media\/quay\.png$/);
      await expectReadable(address.replace('word/media/quay.png', 'word/document.xml'));
    }
  });

  it.each<[what: string, file: string, bytes: Buffer, address: string]>([
    [
      'a picture and a recording of PPTX',
      'deck.pptx',
      zipOf([
        { name: '_rels/.rels', data: relations([['rId1', 'officeDocument', 'ppt/presentation.xml']]) },
        {
          name: 'ppt/presentation.xml',
          data: `<p:presentation xmlns:p="p" xmlns:r="${RELATIONS}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
        },
        {
          name: 'ppt/_rels/presentation.xml.rels',
          data: relations([['rId1', 'slide', 'slides/slide1.xml']]),
        },
        {
          name: 'ppt/slides/slide1.xml',
          data: `<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="${RELATIONS}"><p:cSld><p:spTree><p:pic><p:nvPicPr><p:cNvPr id="1" name="n" descr="The gate"/><p:nvPr><a:videoFile r:link="rId2"/></p:nvPr></p:nvPicPr><p:blipFill><a:blip r:embed="rId1"/></p:blipFill></p:pic></p:spTree></p:cSld></p:sld>`,
        },
        {
          name: 'ppt/slides/_rels/slide1.xml.rels',
          data: relations([
            ['rId1', 'image', '../media/image1.png'],
            ['rId2', 'video', '../media/image1.png'],
          ]),
        },
        { name: 'ppt/media/image1.png', data: PIXEL },
      ]),
      'ppt/media/image1.png',
    ],
    [
      'a picture of ODT',
      'river.odt',
      zipOf([
        { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text', stored: true },
        {
          name: 'content.xml',
          data: '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:draw="d" xmlns:xlink="x"><office:body><office:text><text:p>At <draw:frame><draw:image xlink:href="./Pictures/the%20bridge.png"/></draw:frame></text:p></office:text></office:body></office:document-content>',
        },
        { name: 'Pictures/the bridge.png', data: PIXEL },
      ]),
      'Pictures/the bridge.png',
    ],
    [
      'a picture of a mail',
      'm.eml',
      Buffer.from(mailWith(PIXEL, 'image/png; name="back`tick (1).png"')),
      'back`tick (1).png',
    ],
    [
      'an attachment of a message of Outlook',
      'm.msg',
      outlookMessage({
        text: { 55: 's' },
        attachments: [{ text: { 14087: 'a b.png' }, binary: { 14081: PIXEL } }],
      }),
      'a b.png',
    ],
  ])('of %s is read', async (_what, file, bytes, path) => {
    const name = await put(`kinds/${file}`, bytes);
    const addresses = new Set(addressesIn((await readOk(reader, name)).text));
    expect([...addresses]).toEqual([`${name}!/${path}`]);
    await expectReadable(`${name}!/${path}`);
  });

  it('follows the file to its new name, though its conversion is kept', async () => {
    const bytes = withPictures(['quay.png']);
    for (const name of ['one.docx', 'moved/to another.docx', 'one.docx']) {
      const { text } = await readOk(reader, await put(name, bytes));
      expect(addressesIn(text)).toEqual([`${name}!/word/media/quay.png`]);
    }
  });

  it('does not shift what a cursor goes on with', async () => {
    const bytes = withPictures(Array.from({ length: 60 }, (_, i) => `quay-${i}.png`));
    const path = await put('walk/long name.docx', bytes);
    const answers = await walk(reader, () => path, { maxTokens: 300 });
    expect(contentOf(answers)).toBe(contentOf([await readOk(reader, path, { all: true })]));
    const cursor = answers[1]?.truncation?.next?.cursor ?? '';
    expect(await reader.read(await put('walk/same nam2.docx', bytes), { cursor })).toMatchObject({
      success: true,
    });
    expect(await reader.read(await put('walk/short.docx', bytes), { cursor })).toMatchObject({
      error: { code: 'STALE_CURSOR', message: expect.stringContaining('another name') },
    });
  });
});

function relations(list: readonly (readonly [id: string, type: string, target: string])[]): string {
  const entries = list.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `<Relationships>${entries.join('')}</Relationships>`;
}

function mailWith(bytes: Uint8Array, type = 'application/octet-stream; name=survey.docx'): string {
  const part = (header: string, body: string): string => `--x\n${header}\n\n${body}\n`;
  const data = Buffer.from(bytes).toString('base64');
  return `From: a@b.c\nSubject: s\nContent-Type: multipart/related; boundary=x\n\n${part('Content-Type: text/html', '<p>See <img src="cid:p" alt="it">')}${part(`Content-Type: ${type}\nContent-ID: <p>\nContent-Transfer-Encoding: base64`, data)}--x--\n`;
}

it('of a file inside a document is also its last name, where that is the only one', async () => {
  await cp(join(FIXTURES, 'documents/survey.docx'), join(root, 'pictures.docx'));
  for (const name of ['word/media/quay.png', 'quay.png']) {
    const answer = await readOk(reader, `pictures.docx!/${name}`);
    expect(answer.fileType).toBe('image');
  }
  const names = ['a/x.txt', 'b/x.txt', 'b/y.txt'];
  await writeFile(join(root, 'twice.zip'), zipOf(names.map((name) => ({ name, data: Buffer.from(name) }))));
  expect(await reader.read('twice.zip!/y.txt')).toMatchObject({ text: 'b/y.txt' });
  expect(await reader.read('twice.zip!/x.txt')).toMatchObject({ error: { code: 'FILE_NOT_FOUND' } });
});
