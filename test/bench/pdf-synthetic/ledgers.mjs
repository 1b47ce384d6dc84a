// Statements, invoices, price lists, bank statements and registers, each made from a seed: rows of cells, the names above
// them and how they are set. `ledger-page.mjs` sets them as HTML.

import { random, WORDS } from '../words.mjs';
import { numberWriter, styleOf } from './ledger-style.mjs';
import { LANGUAGES } from './ledger-words.mjs';

const KINDS = [
  'statement',
  'statement',
  'statement',
  'statement',
  'statement',
  'invoice',
  'invoice',
  'prices',
  'bank',
  'register',
];

/** Choices from one seed. */
function chooser(seed) {
  const next = random(Math.imul(seed + 1, 2654435761) >>> 0);
  for (let round = 0; round < 5; round += 1) next();
  const chance = (share) => next() < share;
  const pick = (list) => list[Math.floor(next() * list.length)];
  const whole = (from, to) => from + Math.floor(next() * (to - from + 1));
  const between = (from, to) => from + next() * (to - from);
  return { next, chance, pick, whole, between };
}

/**
 * @param {number} seed
 * @returns a document: its names, rows and style. A row is `{ role, level, cells }`, its cells by column, each a text or
 *   undefined; a row with `role: 'section'` has one cell and spans, one with `role: 'sum'` has its label in column `from`
 */
export function ledger(seed) {
  const of = chooser(seed);
  const language = of.pick(['en', 'en', 'de', 'fr', 'es']);
  const kind = KINDS[seed % KINDS.length];
  const words = LANGUAGES[language];
  const style = styleOf(of, kind, words);
  const numbers = numberWriter(of, words, style);
  const made = MAKERS[kind](of, words, numbers, style);
  return {
    name: `${kind}-${language}-${seed}`,
    seed,
    kind,
    language,
    style,
    ...made,
    prose: [prose(of), prose(of)],
  };
}

function prose(of) {
  const text = Array.from({ length: of.whole(25, 60) }, () => of.pick(WORDS)).join(' ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

const MAKERS = { statement, invoice, prices, bank, register };

function statement(of, words, number) {
  const count = of.pick([1, 2, 2, 2, 3, 3, 4, 5, 6]);
  const notes = of.chance(0.25);
  const change = count > 1 && count < 5 && of.chance(0.2);
  const scale = 10 ** of.whole(3, 8);
  const decimals = of.chance(0.25) ? of.whole(1, 2) : 0;
  const most = Math.min(scale, decimals > 0 || count > 4 ? 1e6 : 1e9);
  const columns = [{ kind: 'label' }];
  if (notes) columns.push({ kind: 'note' });
  for (let index = 0; index < count; index += 1) columns.push({ kind: 'number', money: true });
  if (change) columns.push({ kind: 'number' });
  const values = () =>
    columns.slice(1).map((column) => {
      if (column.kind === 'note') return of.chance(0.5) ? String(of.whole(2, 31)) : '';
      return column.money ? number(most, decimals) : number(90, 1);
    });
  const rows = [];
  const sections = of.whole(1, 4);
  const long = of.chance(0.22) ? 4 : 1;
  for (let section = 0; section < sections * long; section += 1) {
    if (of.chance(0.75)) rows.push({ role: 'section', level: 0, cells: [of.pick(words.sections)] });
    const items = of.whole(2, 8);
    for (let item = 0; item < items; item += 1) {
      const level = of.pick([1, 1, 1, 2]);
      rows.push({ role: 'item', level, cells: [of.pick(words.items), ...values()] });
    }
    if (of.chance(0.7)) rows.push({ role: 'total', level: 1, cells: [of.pick(words.total), ...values()] });
  }
  return {
    columns,
    head: statementHead(of, words, notes, change, count),
    rows,
    title: of.pick(words.sections),
  };
}

function statementHead(of, words, notes, change, count) {
  const named = of.chance(0.25);
  const year = of.whole(2012, 2024);
  const grouped = !named && count % 2 === 0 && count >= 4 && of.chance(0.7);
  const names = Array.from({ length: count }, (_, index) =>
    named ? words.names[(index + year) % words.names.length] : String(year - (grouped ? index % 2 : index)),
  );
  const low = [{ text: of.pick(words.corner) }];
  if (notes) low.push({ text: words.note });
  for (const name of names) low.push({ text: name });
  if (change) low.push({ text: words.change });
  if (named || !(grouped || of.chance(0.35))) return [low];
  const first = [{ text: '' }];
  if (notes) first.push({ text: '' });
  if (grouped)
    for (let index = 0; index < count; index += 2)
      first.push({ text: words.period[(index / 2) % words.period.length], span: 2 });
  else first.push({ text: of.pick(words.period), span: count });
  if (change) first.push({ text: '' });
  return [first, low];
}

function invoice(of, words, number) {
  const names = words.invoice;
  const columns = [];
  const head = [];
  const add = (kind, text, extra = {}) => {
    columns.push({ kind, ...extra });
    head.push({ text });
  };
  if (of.chance(0.6)) add('key', names.pos);
  if (of.chance(0.4)) add('key', names.article);
  add('label', names.text);
  add('number', names.count);
  if (of.chance(0.5)) add('text', names.unit);
  add('number', names.price, { money: true });
  if (of.chance(0.3)) add('number', names.tax);
  add('number', names.amount, { money: true });
  const plain = { signed: 0, nil: 0 };
  const rows = [];
  const count = of.chance(0.15) ? of.whole(30, 50) : of.whole(2, 12);
  for (let index = 0; index < count; index += 1) {
    const cells = head.map(({ text }) => {
      if (text === names.pos) return String(index + 1);
      if (text === names.article) return `${of.pick(['A', 'KX', 'T'])}-${of.whole(100, 9999)}`;
      if (text === names.text) return of.pick(words.goods);
      if (text === names.count) return String(of.whole(1, 120));
      if (text === names.unit) return of.pick(names.units);
      if (text === names.tax) return `${of.pick([7, 19, 20])}%`;
      return number(text === names.price ? 900 : 90000, 2, plain);
    });
    rows.push({ role: 'item', level: 0, cells });
  }
  for (const [index, label] of names.totals.entries())
    rows.push({
      role: 'sum',
      level: 0,
      last: index === names.totals.length - 1,
      cells: [label, number(90000, 2, plain)],
    });
  return { columns, head: [head], rows, title: of.pick(words.goods) };
}

function prices(of, words, number) {
  const count = of.whole(1, 4);
  const columns = [{ kind: 'key' }, { kind: 'label' }];
  const head = [{ text: words.invoice.article }, { text: words.invoice.text }];
  if (of.chance(0.4)) {
    columns.push({ kind: 'text' });
    head.push({ text: words.invoice.unit });
  }
  for (let index = 0; index < count; index += 1) {
    columns.push({ kind: 'number', money: true });
    head.push({ text: count === 1 ? words.invoice.price : `${words.invoice.price} ${index + 1}` });
  }
  const rows = [];
  const length = of.chance(0.2) ? 70 : of.whole(6, 28);
  for (let index = 0; index < length; index += 1) {
    if (index % 8 === 0 && of.chance(0.5))
      rows.push({ role: 'section', level: 0, cells: [of.pick(words.sections)] });
    const cells = columns.map((column) => {
      if (column.kind === 'key') return String(of.whole(10000, 99999));
      if (column.kind === 'label') return of.pick(words.goods);
      if (column.kind === 'text') return of.pick(words.invoice.units);
      return number(of.pick([90, 1500]), 2, { signed: 0, nil: 0.05 });
    });
    rows.push({ role: 'item', level: 0, cells });
  }
  return { columns, head: [head], rows, title: of.pick(words.sections) };
}

function bank(of, words, number) {
  const names = words.bank;
  const two = of.chance(0.5);
  const valued = of.chance(0.5);
  const columns = [{ kind: 'key' }, ...(valued ? [{ kind: 'key' }] : []), { kind: 'label' }];
  const head = [{ text: names.date }, ...(valued ? [{ text: names.value }] : []), { text: names.text }];
  for (const text of two ? [names.debit, names.credit, names.balance] : [names.amount, names.balance]) {
    columns.push({ kind: 'number', money: true });
    head.push({ text });
  }
  const date = () =>
    `${String(of.whole(1, 28)).padStart(2, '0')}.${String(of.whole(1, 12)).padStart(2, '0')}.2023`;
  const plain = { signed: 0, nil: 0 };
  const rows = [{ role: 'sum', level: 0, label: true, cells: [names.opening, number(90000, 2, plain)] }];
  const count = of.chance(0.2) ? of.whole(45, 70) : of.whole(6, 25);
  for (let index = 0; index < count; index += 1) {
    const text = of.chance(0.3) ? `${of.pick(words.goods)} ${of.whole(1e8, 9e8)}` : of.pick(words.goods);
    const debit = of.chance(0.6);
    const amounts = two
      ? [debit ? number(3000, 2, plain) : '', debit ? '' : number(3000, 2, plain), number(90000, 2, plain)]
      : [number(3000, 2, { signed: 0.6, nil: 0 }), number(90000, 2, plain)];
    rows.push({ role: 'item', level: 0, cells: [date(), ...(valued ? [date()] : []), text, ...amounts] });
  }
  rows.push({
    role: 'sum',
    level: 0,
    label: true,
    last: true,
    cells: [names.closing, number(90000, 2, plain)],
  });
  return { columns, head: [head], rows, title: names.balance };
}

function register(of, words, number) {
  const names = words.register;
  const cost = of.chance(0.5);
  const columns = [{ kind: 'key' }, { kind: 'text' }, { kind: 'label' }, { kind: 'text' }, { kind: 'key' }];
  const head = [names.number, names.title, names.text, names.place, names.date].map((text) => ({ text }));
  if (cost) {
    columns.push({ kind: 'number' });
    head.push({ text: names.cost });
  }
  const rows = [];
  const count = of.whole(5, 16);
  for (let index = 0; index < count; index += 1) {
    const sentences = Array.from({ length: of.whole(1, 3) }, () => of.pick(words.texts));
    const cells = [
      `${of.whole(1, 4)}.${index + 1}`,
      of.pick(words.goods),
      `${sentences.join('. ')}.`,
      of.pick(words.places),
      `${of.whole(1, 12)}/${of.whole(2021, 2026)}`,
    ];
    if (cost) cells.push(number(900000, 0, { signed: 0, nil: 0 }));
    rows.push({ role: 'item', level: 0, cells });
  }
  return { columns, head: [head], rows, title: names.text };
}

/** The rows that a perfect reader gives, and the names above the columns, for `scoreRows`. */
export function truthOf({ columns, head, rows }) {
  const truth = rows.map(({ role, cells, label }) => {
    if (role === 'section') return { heading: true, cells, columns: [undefined] };
    const at = columns.findIndex((column) => column.kind === 'label');
    if (role === 'sum') return { cells, columns: [label ? at : undefined, columns.length - 1] };
    const full = cells.map((text, column) => ({ text, column })).filter(({ text }) => text !== '');
    return { cells: full.map(({ text }) => text), columns: full.map(({ column }) => column) };
  });
  return { rows: truth, names: head.at(-1).map(({ text }) => text) };
}
