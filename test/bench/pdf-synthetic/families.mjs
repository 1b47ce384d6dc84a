// Random documents with known Markdown: families of pages whose fonts, sizes, margins, heads and feet follow from a
// seed, so that nothing can be fitted to one of them. `print.mjs` prints them.

import { writer } from './documents.mjs';

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const LATIN = ['Lora', 'Roboto', 'Source Serif 4', 'DejaVu Serif', 'DejaVu Sans'];
const CODE = ['IBM Plex Mono', 'DejaVu Sans Mono'];
const NAMES =
  'Ada Keller,Jon Marsh,Mira Olsen,Tom Brandt,Ines Vidal,Paul Renner,Lea Forst,Kai Lindqvist'.split(',');
const PLACES = 'Northfield,Altmark,Rivermouth,Sandby,Weston,Larkhill'.split(',');
const MONTHS = 'January,March,May,June,September,November'.split(',');

const CHINESE = {
  nouns:
    '河流,港口,学校,市场,桥梁,报告,花园,机器,村庄,档案,铁路,实验室,信号,冬季,委员会,图书馆,工程,水库,农田,博物馆'.split(
      ',',
    ),
  verbs: '改变,支持,说明,包含,研究,代替,影响,记录'.split(','),
  qualities: '可靠的,历史的,重要的,独立的,透明的,狭窄的,南部的,意外的'.split(','),
};
const ARABIC = {
  nouns: 'النهر,الميناء,المدرسة,السوق,الجسر,التقرير,الحديقة,القرية,المكتبة,القطار,المختبر,الشتاء'.split(','),
  verbs: 'يصف,يشرح,يغير,يحتوي,يدعم,يدرس'.split(','),
  qualities: 'الموثوق,القديم,المستقل,الشفاف,الضيق,الجنوبي'.split(','),
};
const HEBREW = {
  nouns: 'הנהר,הנמל,המורה,השוק,הגשר,הדוח,הגן,הכפר,הארכיון,הרכבת,המעבדה,החורף'.split(','),
  verbs: 'מתאר,מסביר,משנה,מכיל,תומך,בודק'.split(','),
  qualities: 'האמין,העתיק,העצמאי,השקוף,הצר,הדרומי'.split(','),
};

/** What a family is written with: a seeded writer, and the document it fills. */
function sheet(seed) {
  const write = writer(seed);
  const pick = (list) => write.pick(list);
  const chance = (share) => write.next() < share;
  const between = (low, high) => low + write.next() * (high - low);
  const size = Math.round(between(8.5, 12) * 2) / 2;
  return {
    write,
    pick,
    chance,
    between,
    body: [],
    truth: [],
    absent: [],
    size,
    font: pick(LATIN),
    css: '',
    fonts: [],
    /** Millimetres. */
    margin: Math.round(between(16, 26)),
    tagged: chance(0.3),
  };
}

function put(doc, html, markdown) {
  doc.body.push(html);
  if (markdown !== undefined) doc.truth.push(markdown);
}

const para = (doc, text) => put(doc, `<p>${escaped(text)}</p>`, text);
const heading = (doc, level, text) =>
  put(doc, `<h${level}>${escaped(text)}</h${level}>`, `${'#'.repeat(level)} ${text}`);

/** A look for headings: by size, weight, slant or face, also at the size of the body. */
function headingStyle(doc, { plain = true } = {}) {
  const { pick, between, size, chance } = doc;
  const family = chance(0.4) ? `font-family:'${pick(LATIN)}';` : '';
  const title = Math.round(size * between(1.45, 2.1) * 2) / 2;
  const looks = [
    `font-size:${size}pt;font-weight:bold`,
    `font-size:${Math.round(size * between(1.15, 1.35) * 2) / 2}pt;font-weight:bold`,
    ...(plain ? [`font-size:${Math.round(size * between(1.2, 1.4) * 2) / 2}pt;font-weight:normal`] : []),
  ];
  doc.css += `h1{font-size:${title}pt;line-height:1.2;margin:0 0 ${size}pt;${family}}h2,h3{${pick(looks)};${family}line-height:1.25;margin:${Math.round(size * between(0.9, 1.6))}pt 0 ${Math.round(size * between(0.2, 0.7))}pt}h3{font-size:${size}pt;font-weight:bold}`;
}

/** Head and foot of every page, in the margin boxes that Chromium repeats. Text in them must not come back. */
function margins(doc, kinds) {
  const { write, pick, chance } = doc;
  const boxes = [];
  const running = write.title();
  for (const kind of kinds) {
    const at = pick(
      kind === 'head' ? ['top-left', 'top-center', 'top-right'] : ['bottom-left', 'bottom-center'],
    );
    if (kind === 'number') {
      const style = pick([
        'counter(page)',
        '"Page " counter(page) " of " counter(pages)',
        '"- " counter(page) " -"',
      ]);
      boxes.push([pick(['bottom-right', 'bottom-center', 'top-right']), style]);
      continue;
    }
    const text =
      kind === 'head'
        ? pick([running, running.toUpperCase(), `${running} | ${pick(PLACES)} ${write.number(90)}`])
        : kind === 'stamp'
          ? `Printed for ${pick(NAMES)} from library.example.org on ${write.number(28)} ${pick(MONTHS)} 20${10 + Number(write.number(15))}`
          : pick([
              `${pick(PLACES)} Press, series ${write.number(40)}`,
              `Internal use, document ${write.number(900)}-${write.number(90)}`,
              `${running}, edition ${write.number(9)}`,
            ]);
    boxes.push([at, `"${text}"`]);
    doc.absent.push(text);
  }
  const used = new Map();
  for (const [at, content] of boxes) {
    const old = used.get(at);
    used.set(at, old ? `${old} "   " ${content}` : content);
  }
  const small = Math.max(6.5, Math.round(doc.size * doc.between(0.7, 0.95) * 2) / 2);
  const rule = chance(0.3) ? 'border-bottom:0.4pt solid #555;' : '';
  return [...used]
    .map(
      ([at, content]) =>
        `@${at}{content:${content};font:${small}pt '${doc.font}';${at.startsWith('top') ? rule : ''}}`,
    )
    .join('');
}

function furnish(doc) {
  const { chance } = doc;
  const kinds = [];
  if (chance(0.6)) kinds.push('head');
  if (chance(0.4)) kinds.push('foot');
  if (chance(0.3)) kinds.push('stamp');
  if (chance(0.7)) kinds.push('number');
  doc.boxes = margins(doc, kinds);
}

function code(doc) {
  const { write, pick, chance } = doc;
  const name = () => write.name().replace(' ', pick(['_', '']));
  const lines = [];
  const shape = pick(['c', 'python', 'shell', 'config']);
  const count = 2 + Math.floor(write.next() * 5);
  if (shape === 'python') {
    lines.push(`def ${name().replace(/\W/g, '_')}(items):`);
    for (let at = 0; at < count; at += 1)
      lines.push(
        `    if items[${write.number(9)}] > ${write.number(90)}:`,
        `        return ${write.number(99)}`,
      );
  } else if (shape === 'c') {
    lines.push(`int main(void) {`);
    for (let at = 0; at < count; at += 1)
      lines.push(
        `  for (int i = 0; i < ${write.number(90)}; i++) {`,
        `    total += ${write.number(9)};`,
        '  }',
      );
    lines.push('}');
  } else if (shape === 'shell') {
    for (let at = 0; at < count; at += 1)
      lines.push(`$ make ${name().split(/[ _]/)[0]} --level ${write.number(9)}`);
    if (chance(0.5)) lines.push('', `done in ${write.number(60)} s`);
  } else {
    for (let at = 0; at < count; at += 1)
      lines.push(`[section${at + 1}]`, `  value = ${write.number(900)}`, '');
    lines.pop();
  }
  const text = lines.join('\n');
  put(doc, `<pre>${escaped(text)}</pre>`, `\`\`\`\n${text}\n\`\`\``);
}

function bullets(doc, ordered = false) {
  const { write } = doc;
  const items = Array.from({ length: 3 + Math.floor(write.next() * 3) }, () => write.sentence());
  const tag = ordered ? 'ol' : 'ul';
  put(
    doc,
    `<${tag}>${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</${tag}>`,
    items.map((item, index) => `${ordered ? `${index + 1}.` : '-'} ${item}`).join('\n'),
  );
}

const sentences = (doc) => doc.write.paragraph(2 + Math.floor(doc.write.next() * 4));

function paper(doc) {
  const { write, pick, chance } = doc;
  headingStyle(doc);
  doc.css += `.by{text-align:center;margin:2pt 0}h1{text-align:center}${chance(0.5) ? '.by.who{font-weight:bold}' : ''}`;
  heading(doc, 1, write.title());
  const who = [pick(NAMES), pick(NAMES), pick(NAMES)].slice(0, 1 + Math.floor(write.next() * 3)).join(', ');
  put(doc, `<p class="by who">${who}</p>`, who);
  const where = `Institute of ${write.title()}, ${pick(PLACES)}`;
  put(doc, `<p class="by">${where}</p>`, where);
  const columns = chance(0.5) ? 2 : 1;
  if (columns === 2) doc.body.push(`<div style="columns:2;column-gap:${Math.round(doc.between(5, 9))}mm">`);
  const numbered = chance(0.6);
  const count = 3 + Math.floor(write.next() * 6);
  for (let at = 1; at <= count; at += 1) {
    heading(doc, 2, `${numbered ? `${at}${chance(0.5) ? '.' : ''} ` : ''}${write.title()}`);
    para(doc, sentences(doc));
    if (chance(0.4)) {
      heading(doc, 3, `${numbered ? `${at}.1 ` : ''}${write.title()}`);
      para(doc, sentences(doc));
    }
    if (chance(0.3)) bullets(doc, chance(0.5));
    para(doc, sentences(doc));
  }
  if (columns === 2) doc.body.push('</div>');
  furnish(doc);
}

function manual(doc) {
  const { write, pick, chance } = doc;
  headingStyle(doc);
  doc.css += `pre{font:${Math.round(doc.size * doc.between(0.8, 1) * 2) / 2}pt/1.25 '${pick(CODE)}';margin:6pt 0${chance(0.3) ? ';background:#eee;padding:4pt' : ''}}`;
  heading(doc, 1, write.title());
  const count = 3 + Math.floor(write.next() * 6);
  const much = chance(0.5);
  for (let at = 1; at <= count; at += 1) {
    heading(doc, 2, write.title());
    para(doc, write.sentence());
    code(doc);
    if (much) code2(doc);
    if (chance(0.3)) bullets(doc);
  }
  furnish(doc);
}

/** A second block after a short sentence, so that most of the page is code. */
function code2(doc) {
  const text = doc.write.title();
  put(doc, `<p>${text}:</p>`, `${text}:`);
  code(doc);
}

function contract(doc) {
  const { write, pick, chance } = doc;
  headingStyle(doc, { plain: false });
  const capitals = chance(0.4);
  const head = (text) => (capitals ? text.toUpperCase() : text);
  heading(doc, 1, head(`Agreement on the ${write.name()}`));
  para(doc, `Between ${pick(NAMES)}, ${pick(PLACES)}, and ${pick(NAMES)}, ${pick(PLACES)}.`);
  const count = 5 + Math.floor(write.next() * 8);
  for (let at = 1; at <= count; at += 1) {
    heading(doc, 2, `${at}. ${head(write.title())}`);
    const clauses = 1 + Math.floor(write.next() * 3);
    for (let clause = 1; clause <= clauses; clause += 1)
      para(doc, `${at}.${clause} ${write.paragraph(1 + Math.floor(write.next() * 3))}`);
  }
  furnish(doc);
}

function letter(doc) {
  const { write, pick, chance } = doc;
  const place = pick(PLACES);
  doc.css += `.right{text-align:right}p.line{margin:0}`;
  const lines = [`${pick(NAMES)}`, `${write.number(90)} ${pick(PLACES)} Street`, place];
  put(doc, lines.map((line) => `<p class="line">${line}</p>`).join(''), lines.join('\n\n'));
  const date = `${place}, ${write.number(28)} ${pick(MONTHS)} 20${10 + Number(write.number(15))}`;
  put(doc, `<p class="right">${date}</p>`, date);
  const subject = `Your ${write.name()}`;
  put(doc, `<p><b>${subject}</b></p>`, `**${subject}**`);
  para(doc, `Dear ${pick(NAMES)},`);
  for (let at = 0; at < 3 + Math.floor(write.next() * 3); at += 1) para(doc, sentences(doc));
  para(doc, 'Yours sincerely');
  para(doc, pick(NAMES));
  if (chance(0.8)) {
    const foot = `${pick(PLACES)} Trading, ${write.number(90)} Harbour Road, account ${write.number(9999)} ${write.number(9999)}, phone ${write.number(999)} ${write.number(9999)}`;
    doc.absent.push(foot);
    doc.boxes = `@bottom-center{content:"${foot}";font:${Math.max(6, doc.size * 0.65)}pt '${doc.font}'}`;
  } else doc.boxes = '';
}

function article(doc) {
  const { write, pick, chance } = doc;
  headingStyle(doc);
  doc.css += `.line{font-size:${Math.round(doc.size * 0.85 * 2) / 2}pt;color:#333}`;
  heading(doc, 1, write.title());
  const date = `${write.number(28)} ${pick(MONTHS)} 20${10 + Number(write.number(15))}`;
  const line = pick([`By ${pick(NAMES)}, ${date}`, `${pick(PLACES)}, ${date}`, `${pick(NAMES)} | ${date}`]);
  put(doc, `<p class="line">${line}</p>`, line);
  const columns = 1 + Math.floor(write.next() * 3);
  doc.body.push(`<div style="columns:${columns};column-gap:${Math.round(doc.between(5, 9))}mm">`);
  const count = 2 + Math.floor(write.next() * 4);
  for (let at = 0; at < count; at += 1) {
    if (at > 0) heading(doc, 2, write.title());
    for (let more = 0; more < 2; more += 1) para(doc, sentences(doc));
  }
  doc.body.push('</div>');
  // Chromium's own head and foot: date, title, address, page of pages.
  if (chance(0.6)) {
    const title = `${write.title()} - ${pick(PLACES)} Courier`;
    const address = `https://courier.example.org/${write.name().replace(' ', '-')}/${write.number(9999)}`;
    doc.own = {
      title,
      address,
      date: `${write.number(12)}/${write.number(28)}/24, ${write.number(12)}:${10 + Number(write.number(49))} PM`,
    };
    doc.absent.push(title, address);
    doc.boxes = '';
  } else furnish(doc);
}

function foreign({ write, pick }, words, { join, stop, comma }) {
  const clause = () => [
    pick(words.qualities),
    pick(words.nouns),
    pick(words.verbs),
    pick(words.qualities),
    pick(words.nouns),
  ];
  return {
    title: () => [pick(words.qualities), pick(words.nouns)].join(join),
    noun: () => pick(words.nouns),
    sentence: () =>
      `${clause().join(join)}${write.next() < 0.5 ? `${comma}${clause().join(join)}` : ''}${stop}`,
    paragraph(count) {
      return Array.from({ length: count }, () => this.sentence()).join(join);
    },
  };
}

function chinese(doc) {
  const { write, pick, chance } = doc;
  const text = foreign(doc, CHINESE, { join: '', stop: '。', comma: '，' });
  doc.font = 'Noto Sans SC';
  const even = chance(0.5);
  doc.css += `h1{font-size:${Math.round(doc.size * 1.6 * 2) / 2}pt;margin:0 0 10pt}h2{font-size:${even ? doc.size : Math.round(doc.size * 1.2 * 2) / 2}pt;margin:10pt 0 4pt}${chance(0.4) ? 'p{text-indent:2em}' : ''}`;
  const number = pick([
    (at) => `${'一二三四五六七八九'[at - 1]}、`,
    (at) => `${at} `,
    (at) => `第${'一二三四五六七八九'[at - 1]}章 `,
    () => '',
  ]);
  heading(doc, 1, text.title() + text.noun());
  const count = 3 + Math.floor(write.next() * 5);
  for (let at = 1; at <= count; at += 1) {
    heading(doc, 2, `${number(at)}${text.title()}${text.noun()}`);
    para(doc, text.paragraph(3 + Math.floor(write.next() * 4)));
    para(doc, text.paragraph(2 + Math.floor(write.next() * 4)));
  }
  furnish(doc);
}

function rightToLeft(doc) {
  const { write, pick, chance } = doc;
  const arabic = chance(0.6);
  const text = foreign(doc, arabic ? ARABIC : HEBREW, { join: ' ', stop: '.', comma: arabic ? '، ' : ', ' });
  doc.font = arabic ? 'DejaVu Sans' : 'Noto Sans Hebrew';
  doc.rtl = true;
  doc.css += `h1{font-size:${doc.size * 1.6}pt}h2{font-size:${Math.round(doc.size * doc.between(1, 1.3) * 2) / 2}pt}table{border-collapse:collapse;margin:8pt 0}td,th{border:0.5pt solid #333;padding:3pt 8pt;text-align:right}`;
  heading(doc, 1, text.title());
  const count = 2 + Math.floor(write.next() * 3);
  for (let at = 1; at <= count; at += 1) {
    heading(doc, 2, text.title());
    para(doc, text.paragraph(2 + Math.floor(write.next() * 3)));
    if (chance(0.6)) {
      const rows = Array.from({ length: 4 }, () => [
        text.title(),
        pick([text.noun(), text.title()]),
        write.number(900),
      ]);
      put(
        doc,
        `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`,
        [
          `| ${rows[0].join(' | ')} |`,
          '| --- | --- | --- |',
          ...rows.slice(1).map((row) => `| ${row.join(' | ')} |`),
        ].join('\n'),
      );
    }
    para(doc, text.paragraph(2));
  }
  furnish(doc);
}

function formulas(doc) {
  const { write, pick, chance } = doc;
  headingStyle(doc);
  heading(doc, 1, write.title());
  const letters = ['x', 'y', 'n', 'k', 'a', 'b'];
  const mi = (letter) => `<mi>${letter}</mi>`;
  const make = [
    () => {
      const [a, b] = [pick(letters), pick(letters)];
      return [`<mfrac>${mi(a)}${mi(b)}</mfrac>`, `\\frac{${a}}{${b}}`];
    },
    () => {
      const [a, n] = [pick(letters), write.number(9)];
      return [`<msup>${mi(a)}<mn>${n}</mn></msup>`, `${a}^{${n}}`];
    },
    () => {
      const [a, n] = [pick(letters), write.number(9)];
      return [`<msub>${mi(a)}<mn>${n}</mn></msub>`, `${a}_{${n}}`];
    },
    () => {
      const a = pick(letters);
      return [`<msqrt>${mi(a)}</msqrt>`, `\\sqrt{${a}}`];
    },
    () => ['<mfrac><mn>1</mn><mn>2</mn></mfrac>', '\\frac{1}{2}'],
  ];
  for (let at = 0; at < 4 + Math.floor(write.next() * 5); at += 1) {
    if (chance(0.3)) heading(doc, 2, write.title());
    const runs = [];
    const truth = [];
    for (let more = 0; more < 3; more += 1) {
      const [html, tex] = pick(make)();
      const text = `${write.sentence().slice(0, -1)} with`;
      runs.push(`${escaped(text)} <math>${html}</math> `);
      truth.push(`${text} $${tex}$`);
    }
    put(doc, `<p>${runs.join('')}</p>`, truth.join(' '));
  }
  furnish(doc);
}

const FAMILIES = { paper, manual, contract, letter, article, chinese, rightToLeft, formulas };
export const FAMILY_NAMES = Object.keys(FAMILIES);

/**
 * The document of a family for a seed.
 * @returns {{ name: string, html: string, truth: string, absent: string[], tagged: boolean, own?: { title: string, address: string, date: string } }}
 */
export function familyDocument(family, seed, faces) {
  const doc = sheet(seed * 977 + FAMILY_NAMES.indexOf(family) * 131 + 5);
  doc.write.next();
  FAMILIES[family](doc);
  const { size, font, margin, css, boxes } = doc;
  const leading = doc.between(1.2, 1.55).toFixed(2);
  const indent =
    family !== 'chinese' && doc.chance(0.25)
      ? 'p+p{text-indent:1.2em}p{margin:0}'
      : `p{margin:${Math.round(size * 0.6)}pt 0}`;
  const align = doc.chance(0.4) && !doc.rtl ? 'text-align:justify;hyphens:auto' : '';
  const lang = doc.rtl ? 'ar" dir="rtl' : family === 'chinese' ? 'zh' : 'en';
  const html = `<!doctype html><html lang="${lang}"><meta charset="utf-8"><title>${escaped(doc.own?.title ?? '')}</title><style>
${faces}
@page{size:${doc.pick(['A4', 'Letter'])};margin:${margin}mm ${Math.round(doc.between(16, 30))}mm;${boxes ?? ''}}
body{font:${size}pt/${leading} '${font}';margin:0;${align}}
h1,h2,h3{text-align:start;hyphens:none;break-after:avoid}${indent}
${css}
</style><body>${doc.body.join('\n')}</body></html>`;
  return {
    name: `${family}-${String(seed).padStart(4, '0')}`,
    html,
    truth: `${doc.truth.join('\n\n')}\n`,
    absent: doc.absent,
    tagged: doc.tagged,
    ...(doc.own && { own: doc.own }),
  };
}

/** Share of a document's margin texts that its Markdown leaves out; a document of several pages may give each once. */
export function absentShare({ absent, pages }, markdown) {
  if (absent.length === 0) return null;
  const bare = (text) => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
  const all = bare(markdown);
  const gone = absent.filter((text) => all.split(bare(text)).length - 1 <= (pages > 2 ? 1 : 0));
  return gone.length / absent.length;
}
