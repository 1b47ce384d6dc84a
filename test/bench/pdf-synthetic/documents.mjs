// Documents with known Markdown, the same every time: each a list of blocks and how it is to be set. What makes a PDF of
// them is in `web.mjs` and `office.mjs`.

import { random } from '../words.mjs';

const NOUNS =
  'harbour engine council report river teacher garden market winter bridge letter measurement committee village instrument archive payment forest signal journey railway statement laboratory condition'.split(
    ' ',
  );
const VERBS =
  'describes follows explains changes contains improves considers replaces supports examines'.split(' ');
const QUALITIES =
  'narrow southern reliable unexpected municipal transparent electrical historical considerable independent'.split(
    ' ',
  );
const JOINTS = ['and', 'while', 'because', 'although', 'so that', 'before'];

/** Makes sentences, paragraphs and titles from a seed. */
export function writer(seed) {
  const next = random(seed);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const clause = () =>
    `the ${pick(QUALITIES)} ${pick(NOUNS)} ${pick(VERBS)} the ${pick(NOUNS)} of the ${pick(QUALITIES)} ${pick(NOUNS)}`;
  const sentence = () => {
    const text = next() < 0.5 ? clause() : `${clause()} ${pick(JOINTS)} ${clause()}`;
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  };
  const title = () => {
    const text = `${pick(QUALITIES)} ${pick(NOUNS)} and ${pick(NOUNS)}`;
    return text[0].toUpperCase() + text.slice(1);
  };
  return {
    next,
    pick,
    title,
    name: () => `${pick(QUALITIES)} ${pick(NOUNS)}`,
    number: (most) => String(1 + Math.floor(next() * most)),
    paragraph: (sentences = 4) => Array.from({ length: sentences }, sentence).join(' '),
    sentence,
  };
}

const p = (text) => ({ kind: 'p', runs: typeof text === 'string' ? [{ text }] : text });
const h = (level, text) => ({ kind: 'h', level, text });
const list = (ordered, items) => ({ kind: 'list', ordered, items });

function table(write, style, rows, columns) {
  const head = [
    'Item',
    ...Array.from(
      { length: columns - 1 },
      (_, index) => `${['Count', 'Share', 'Total', 'Change'][index % 4]} ${2019 + index}`,
    ),
  ];
  const body = Array.from({ length: rows }, () => [
    write.name(),
    ...Array.from({ length: columns - 1 }, () => `${write.number(90)}.${write.number(9)}`),
  ]);
  return { kind: 'table', style, rows: [head, ...body] };
}

function sections(write, count, paragraphs, level = 2) {
  return Array.from({ length: count }, () => [
    h(level, write.title()),
    ...Array.from({ length: paragraphs }, () => p(write.paragraph(3 + Math.floor(write.next() * 3)))),
  ]).flat();
}

function marked(write) {
  return p([
    { text: `${write.sentence()} The ` },
    { text: write.name(), bold: true },
    { text: ` is told apart from the ` },
    { text: write.name(), italic: true },
    { text: ` by the ` },
    { text: 'public register', href: 'https://example.org/register' },
    { text: `. ${write.sentence()}` },
  ]);
}

const nested = (write) =>
  list(false, [
    { text: write.sentence() },
    { text: write.title(), items: [{ text: write.sentence() }, { text: write.title() }] },
    { text: `${write.sentence()} ${write.sentence()}` },
    { text: write.title() },
  ]);

const numbered = (write) =>
  list(
    true,
    Array.from({ length: 4 }, (_, index) => ({ text: index % 2 ? write.title() : write.paragraph(2) })),
  );

/** @returns every document: `{ name, maker: 'web' | 'office', columns, blocks, ... }` */
export function documents() {
  const all = [];
  for (const maker of ['web', 'office']) {
    const seed = maker === 'web' ? 7 : 1007;
    const add = (name, make, options = {}) => {
      const write = writer(seed + all.length);
      all.push({ name: `${maker}-${name}`, maker, columns: 1, blocks: make(write), ...options });
    };
    add('article', (write) => [
      h(1, write.title()),
      marked(write),
      ...sections(write, 2, 2),
      nested(write),
      h(2, write.title()),
      numbered(write),
      marked(write),
    ]);
    add('two-columns', (write) => [h(1, write.title()), { kind: 'columns' }, ...sections(write, 5, 3)], {
      columns: 2,
    });
    add('three-columns', (write) => [h(1, write.title()), { kind: 'columns' }, ...sections(write, 5, 3)], {
      columns: 3,
    });
    add(
      'columns-with-table',
      (write) => [
        h(1, write.title()),
        { kind: 'columns' },
        ...sections(write, 2, 2),
        { kind: 'span' },
        table(write, 'ruled', 4, 5),
        { kind: 'columns' },
        ...sections(write, 2, 2),
      ],
      { columns: 2 },
    );
    add(
      'columns-with-lists',
      (write) => [
        h(1, write.title()),
        { kind: 'columns' },
        ...sections(write, 2, 1),
        nested(write),
        ...sections(write, 1, 2),
        numbered(write),
      ],
      { columns: 2 },
    );
    for (const style of ['ruled', 'lines', 'plain']) {
      add(`tables-${style}`, (write) => [
        h(1, write.title()),
        p(write.paragraph()),
        table(write, style, 6, 4),
        h(2, write.title()),
        p(write.paragraph()),
        table(write, style, 9, 5),
        p(write.paragraph()),
      ]);
    }
    add('running-heads', (write) => [h(1, write.title()), ...sections(write, 9, 4)], {
      head: 'Quarterly review of the harbour council',
      foot: true,
    });
    add(
      'numbered-headings',
      (write) =>
        [1, 2, 3].flatMap((major) => [
          h(1, `${major} ${write.title()}`),
          p(write.paragraph()),
          ...[1, 2].flatMap((minor) => [
            h(2, `${major}.${minor} ${write.title()}`),
            p(write.paragraph()),
            p(write.paragraph(2)),
          ]),
        ]),
      { small: true },
    );
    add(
      'paper',
      (write) => [
        h(1, write.title()),
        p(write.paragraph(5)),
        { kind: 'columns' },
        ...[1, 2].flatMap((number) => [
          h(2, `${number} ${write.title()}`),
          p(write.paragraph()),
          table(write, 'ruled', 3, 3),
          p(write.paragraph(6)),
          nested(write),
          marked(write),
          p(write.paragraph(5)),
          p(write.paragraph(7)),
        ]),
      ],
      { columns: 2, head: 'Proceedings of the river council', foot: true, gap: 5, small: true },
    );
    for (const style of ['ruled', 'lines']) {
      add(`wide-cells-${style}`, (write) => [
        h(1, write.title()),
        p(write.paragraph()),
        {
          kind: 'table',
          style,
          rows: [
            ['Term', 'Meaning', 'Since'],
            ...Array.from({ length: 6 }, (_, index) => [
              write.name(),
              write.paragraph(index % 3 === 0 ? 2 : 1),
              `19${write.number(80) + 10}`,
            ]),
          ],
        },
        p(write.paragraph()),
      ]);
    }
    add(
      'short-entries',
      (write) => [
        h(1, write.title()),
        { kind: 'columns' },
        ...Array.from({ length: 60 }, () => p(`${write.name()}, ${write.pick(NOUNS)}`)),
      ],
      { columns: 3 },
    );
    add('code', (write) => [
      h(1, write.title()),
      p(write.paragraph()),
      {
        kind: 'code',
        text: 'for (const item of list) {\n  if (item.count > 3) {\n    print(item.name);\n  }\n}',
      },
      p(write.paragraph()),
      h(2, write.title()),
      p(write.paragraph()),
    ]);
  }
  const write = writer(42);
  all.push({
    name: 'office-footnotes',
    maker: 'office',
    columns: 1,
    blocks: [
      h(1, write.title()),
      p([
        { text: `${write.paragraph(2)} The archive` },
        { note: 'Kept since 1921 in the cellar of the town hall.' },
        { text: ` is open. ${write.paragraph(2)}` },
      ]),
      p([
        { text: `${write.paragraph(3)} The bridge` },
        { note: 'Measured again in the spring of 2003.' },
        { text: ` is longer.` },
      ]),
      p(write.paragraph(5)),
    ],
  });
  return all;
}

/** The Markdown that a perfect reader would give. */
export function markdownOf({ blocks }) {
  const out = [];
  const notes = [];
  for (const block of blocks) {
    if (block.kind === 'h') out.push(`${'#'.repeat(block.level)} ${block.text}`);
    else if (block.kind === 'p') out.push(block.runs.map((run) => inline(run, notes)).join(''));
    else if (block.kind === 'list') out.push(listMarkdown(block, '').join('\n'));
    else if (block.kind === 'code') out.push(`\`\`\`\n${block.text}\n\`\`\``);
    else if (block.kind === 'table') {
      const [head, ...body] = block.rows.map((row) => `| ${row.join(' | ')} |`);
      out.push([head, `|${' --- |'.repeat(block.rows[0].length)}`, ...body].join('\n'));
    }
  }
  notes.forEach((note, index) => {
    out.push(`[^${index + 1}]: ${note}`);
  });
  return `${out.join('\n\n')}\n`;
}

function inline(run, notes) {
  if (run.note !== undefined) return `[^${notes.push(run.note)}]`;
  if (run.href) return `[${run.text}](${run.href})`;
  if (run.bold) return `**${run.text}**`;
  return run.italic ? `*${run.text}*` : run.text;
}

function listMarkdown({ ordered, items }, indent) {
  return items.flatMap((item, index) => {
    const mark = ordered ? `${index + 1}.` : '-';
    const inner = item.items ? listMarkdown({ ordered: false, items: item.items }, `${indent}  `) : [];
    return [`${indent}${mark} ${item.text}`, ...inner];
  });
}
