// Sets a synthetic statement, invoice or register as a web page, for Chromium to print, and says which rows a reader should
// give.

import { readFileSync } from 'node:fs';

const LIBERATION = ['Regular', 'Bold'].map((weight) => {
  const file = new URL(
    `../../../node_modules/pdfjs-dist/standard_fonts/LiberationSans-${weight}.ttf`,
    import.meta.url,
  );
  const data = readFileSync(file).toString('base64');
  return `@font-face{font-family:"Liberation Sans";font-weight:${weight === 'Bold' ? 700 : 400};src:url(data:font/ttf;base64,${data})}`;
});

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** @returns the page's HTML */
export function ledgerPage(document) {
  const { style, head, rows, title, prose, language } = document;
  const { size, leading, padX, padY, width, labelWidth, vertical, paper, landscape, margin, font } = style;
  const names = head.map((row, index) => headRow(document, row, index)).join('');
  let seen = 0;
  const body = rows
    .map((row) => {
      if (row.role === 'section') seen = 0;
      else seen += 1;
      return bodyRow(document, row, seen === 1);
    })
    .join('');
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><style>${LIBERATION.join('')}
@page{size:${paper}${landscape ? ' landscape' : ''};margin:${margin}mm}
body{font:${size}pt/${leading} "${font}";margin:0}h1{font-size:1.5em}
table{border-collapse:${style.rules === 'numbers' ? 'separate' : 'collapse'};border-spacing:0;width:${width};margin:1em 0}
thead{display:table-header-group}tr{break-inside:avoid}
td,th{padding:${padY}em ${padX}em;vertical-align:${vertical};font-weight:400;text-align:left}
th{vertical-align:bottom${style.boldHead ? ';font-weight:700' : ''}}
.label{${labelWidth ? `width:${labelWidth}` : ''}}
.number{text-align:${style.align};white-space:nowrap}th.number{text-align:${style.align === 'right' ? style.headAlign : style.align};white-space:normal}
th.over{text-align:center;white-space:nowrap}
.key,.note{white-space:nowrap}
.sign{text-align:left;padding-right:0.1em;white-space:nowrap}.sign+.number{padding-left:0.1em}
.shut{padding:${padY}em 0 ${padY}em 0}.closed{padding-right:0}
.sum{text-align:right}.bold td{font-weight:700}.spaced td{padding-top:${padY + 0.7}em}
${RULES[style.rules]}
${style.rules === 'full' || style.rules === 'uprights' ? '' : '.total td.number,.total td.sign,.last td.number{border-top:0.6pt solid #000}.last td.number{border-bottom:1.8pt double #000}'}
</style><body><h1>${escaped(title)}</h1><p>${escaped(prose[0])}</p>
<table>${style.repeatHead ? `<thead>${names}</thead>` : `<tbody>${names}</tbody>`}<tbody>${body}</tbody></table>
<p>${escaped(prose[1])}</p></body></html>`;
}

const RULES = {
  none: '',
  header: 'tr.names:not(:has(+ tr.names)) th{border-bottom:0.7pt solid #000}',
  numbers: 'th.number:not(.empty){border-bottom:0.6pt solid #000}.gap{padding:0 0.3em;border:0!important}',
  booktabs:
    'table{border-top:1.2pt solid #000;border-bottom:1.2pt solid #000}tr.names:not(:has(+ tr.names)) th{border-bottom:0.6pt solid #000}',
  full: 'td,th{border:0.6pt solid #555}',
  lines: 'td,th{border-bottom:0.5pt solid #999}',
  zebra: 'tr:nth-child(even) td{background:#e8eef4}tr.names th{border-bottom:0.7pt solid #000}',
  uprights:
    'td,th{border-left:0.6pt solid #555;border-right:0.6pt solid #555}table{border:0.6pt solid #555}tr.names th{border-bottom:0.6pt solid #555}',
};

const hasOwnSign = ({ style }, column) => style.sign === 'own' && column.money === true;
const hasOwnClosing = ({ style }, column) =>
  style.closing === 'own' &&
  style.negative === 'brackets' &&
  column.money === true &&
  style.align === 'right';
const isSpaced = ({ style }) => style.rules === 'numbers';

/** Places of the printed table that one column takes. */
const placesOf = (document, column) =>
  1 + (hasOwnSign(document, column) ? 1 : 0) + (hasOwnClosing(document, column) ? 1 : 0);

function headRow(document, row, level) {
  let at = 0;
  const cells = row.map(({ text, span = 1 }) => {
    const columns = document.columns.slice(at, at + span);
    at += span;
    let places = 0;
    columns.forEach((column, index) => {
      places +=
        placesOf(document, column) + (isSpaced(document) && column.kind === 'number' && index > 0 ? 1 : 0);
    });
    const [first] = columns;
    const gap = isSpaced(document) && first.kind === 'number' ? '<th class="gap"></th>' : '';
    const over = span > 1 && level === 0 ? ' over' : '';
    const empty = text === '' ? ' empty' : '';
    return `${gap}<th class="${first.kind}${over}${empty}" colspan="${places}">${escaped(text)}</th>`;
  });
  return `<tr class="names">${cells.join('')}</tr>`;
}

function bodyRow(document, row, isFirst) {
  const { columns, style } = document;
  const classes = [row.role];
  if (row.role === 'total' && style.boldTotals) classes.push('bold');
  if (row.role === 'section' && style.boldSections) classes.push('bold');
  if (row.role === 'section' && style.spacedSections) classes.push('spaced');
  if (row.last) classes.push('last');
  const all = columns.reduce(
    (sum, column) =>
      sum + placesOf(document, column) + (isSpaced(document) && column.kind === 'number' ? 1 : 0),
    0,
  );
  const open = `<tr class="${classes.join(' ')}">`;
  if (row.role === 'section') return `${open}<td colspan="${all}">${escaped(row.cells[0])}</td></tr>`;
  if (row.role === 'sum') {
    const last = columns.at(-1);
    const value = numberCells(document, last, row.cells[1], true);
    const rest = all - placesOf(document, last) - (isSpaced(document) ? 1 : 0);
    if (!row.label)
      return `${open}<td class="sum" colspan="${rest}">${escaped(row.cells[0])}</td>${value}</tr>`;
    const at = columns.findIndex((column) => column.kind === 'label');
    const empty = (count) => (count > 0 ? `<td colspan="${count}"></td>` : '');
    return `${open}${empty(at)}<td class="label">${escaped(row.cells[0])}</td>${empty(rest - at - 1)}${value}</tr>`;
  }
  const cells = columns.map((column, index) => {
    const text = row.cells[index] ?? '';
    if (column.kind === 'number') return numberCells(document, column, text, isFirst || row.role === 'total');
    if (column.kind !== 'label') return `<td class="${column.kind}">${escaped(text)}</td>`;
    const indent = row.level * style.indent + style.padX;
    const hang = style.hanging ? 1 : 0;
    return `<td class="label" style="padding-left:${indent + hang}em;text-indent:${-hang}em">${escaped(text)}</td>`;
  });
  return `${open}${cells.join('')}</tr>`;
}

function numberCells(document, column, text, isSigned) {
  const { style, language } = document;
  const shut = hasOwnClosing(document, column);
  const signed = column.money === true && text !== '' && (style.signRows === 'all' || isSigned);
  let shown = text;
  let close = '';
  if (shut && text.endsWith(')')) {
    shown = text.slice(0, -1);
    close = ')';
  }
  if (signed && style.sign === 'same')
    shown = language === 'en' ? `${style.currency}${shown}` : `${shown}\u00A0${style.currency}`;
  const gap = isSpaced(document) ? '<td class="gap"></td>' : '';
  const own = hasOwnSign(document, column)
    ? `<td class="sign">${signed ? escaped(style.currency) : ''}</td>`
    : '';
  const end = shut ? `<td class="shut">${close}</td>` : '';
  return `${gap}${own}<td class="number${shut ? ' closed' : ''}">${escaped(shown)}</td>${end}`;
}
