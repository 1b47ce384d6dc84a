// Word documents for tests, from the markup that a test is about.

import { createDocxConverter, type DocxOptions } from '../../../processors/documents/docx/convert.ts';
import type { FormatFacts, Warning } from '../../../src/contract/index.ts';
import { markdownOf, withMembers } from '../../../src/document/index.ts';
import { memorySource, testContext } from '../../support/context.ts';
import { zipOf } from '../../support/zip.ts';

const NAMESPACES = [
  ['w', 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'],
  ['r', 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'],
  ['m', 'http://schemas.openxmlformats.org/officeDocument/2006/math'],
  ['mc', 'http://schemas.openxmlformats.org/markup-compatibility/2006'],
  ['wp', 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing'],
  ['wps', 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape'],
  ['a', 'http://schemas.openxmlformats.org/drawingml/2006/main'],
  ['pic', 'http://schemas.openxmlformats.org/drawingml/2006/picture'],
  ['c', 'http://schemas.openxmlformats.org/drawingml/2006/chart'],
  ['dgm', 'http://schemas.openxmlformats.org/drawingml/2006/diagram'],
  ['v', 'urn:schemas-microsoft-com:vml'],
  ['w14', 'http://schemas.microsoft.com/office/word/2010/wordml'],
  ['w15', 'http://schemas.microsoft.com/office/word/2012/wordml'],
]
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

/** The inside of the parts; those left out are not in the package. */
export interface WordParts {
  readonly body: string;
  readonly styles?: string;
  readonly numbering?: string;
  readonly footnotes?: string;
  readonly endnotes?: string;
  readonly comments?: string;
  readonly commentsExtended?: string;
  /** Further relationships of the body: id, type, target; an external one where the target has a scheme. */
  readonly links?: readonly (readonly [id: string, type: string, target: string])[];
  /** Parts are stored, not deflated: for markup that repeats itself more than honest files do. */
  readonly stored?: boolean;
  /** Further parts by name, whole. */
  readonly parts?: Readonly<Record<string, string>>;
}

/** A part with its root element and the usual namespaces. */
export function part(root: string, inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${root} ${NAMESPACES}>${inside}</${root}>`;
}

/** The bytes of a `.docx` file. */
export function wordFile(parts: WordParts): Buffer {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';
  const members = [
    {
      name: '_rels/.rels',
      data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${type}officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    { name: 'word/document.xml', data: part('w:document', `<w:body>${parts.body}</w:body>`) },
  ];
  const own = ['styles', 'numbering', 'footnotes', 'endnotes', 'comments', 'commentsExtended'] as const;
  const links = [...(parts.links ?? [])];
  for (const name of own) {
    const inside = parts[name];
    if (inside === undefined) continue;
    const prefix = name === 'commentsExtended' ? 'w15:commentsEx' : `w:${name}`;
    members.push({ name: `word/${name}.xml`, data: part(prefix, inside) });
    links.push([`own-${name}`, name, `${name}.xml`]);
  }
  const list = links.map(
    ([id, kind, target]) =>
      `<Relationship Id="${id}" Type="${type}${kind}" Target="${target}"${/^[a-z]+:/i.test(target) ? ' TargetMode="External"' : ''}/>`,
  );
  members.push({
    name: 'word/_rels/document.xml.rels',
    data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`,
  });
  for (const [name, data] of Object.entries(parts.parts ?? {})) members.push({ name, data });
  return zipOf(members.map((member) => ({ ...member, stored: parts.stored === true })));
}

/** What a conversion gives. */
export interface Converted {
  readonly text: string;
  /** As Markdown. */
  readonly blocks: readonly string[];
  readonly warnings: readonly Warning[];
  readonly facts: FormatFacts;
}

/** Converts `bytes` to the end. */
export async function convertWord(
  bytes: Uint8Array,
  options: DocxOptions & { readonly signal?: AbortSignal } = {},
): Promise<Converted> {
  const context = testContext(options.signal ? { signal: options.signal } : {});
  const document = await createDocxConverter(options).open(memorySource(bytes, 'letter.docx'), context);
  const section = await document.section(1);
  await document.close?.();
  const blocks = section.blocks.map((block) =>
    withMembers(markdownOf(block), 'letter.docx', block.kind === 'table'),
  );
  return {
    text: blocks.join('\n'),
    blocks,
    warnings: [...context.warnings, ...(section.warnings ?? [])],
    facts: document.facts,
  };
}

/** Converts a document made of these parts (or of a body alone). */
export function word(parts: WordParts | string, options: DocxOptions = {}): Promise<Converted> {
  return convertWord(wordFile(typeof parts === 'string' ? { body: parts } : parts), options);
}

/** A paragraph of one run, or of ready markup; `properties` go into `w:pPr`. */
export function p(content: string, properties = ''): string {
  const runs = content.startsWith('<') ? content : r(content);
  return `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${runs}</w:p>`;
}

/** A run; `properties` go into `w:rPr`. */
export function r(text: string, properties = ''): string {
  return `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
}

/** Paragraph properties of a list. */
export function list(numId: number | string, level = 0): string {
  return `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr>`;
}
