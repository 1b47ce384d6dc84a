// Writes the workbooks of fixtures/tabular. Run by hand: `node test/support/make-spreadsheet-fixtures.mjs`. Contents are
// the same every time; exceljs and SheetJS put the time of writing into their containers.
import { writeFileSync } from 'node:fs';
import * as sheetjs from '@e965/xlsx';
import exceljs from 'exceljs';

const folder = new URL('../../fixtures/tabular/', import.meta.url);
const write = (name, content) => writeFileSync(new URL(name, folder), content);
const places = ['Oslo', 'Łódź', 'São Paulo', '東京', 'Tromsø'];

const book = new exceljs.Workbook();
book.created = new Date(Date.UTC(2026, 0, 1));
book.modified = book.created;
const orders = book.addWorksheet('Orders');
orders.addRow(['order', 'place', 'when', 'amount', 'share', 'paid', 'net']);
for (let row = 2; row <= 401; row++)
  orders.addRow([
    row - 1,
    places[row % places.length],
    new Date(Date.UTC(2026, 0, 1 + (row % 300), row % 24, 30)),
    ((row * 7919) % 10_000) / 4,
    (row % 11) / 11,
    row % 3 === 0,
    { formula: `D${row}*0.8`, result: ((row * 7919) % 10_000) / 5 },
  ]);
orders.getColumn(3).numFmt = 'yyyy-mm-dd hh:mm';
orders.getColumn(4).numFmt = '#,##0.00;[Red]-#,##0.00';
orders.getColumn(5).numFmt = '0.0%';
orders.getCell('D3').note = { texts: [{ text: 'Checked twice.' }] };
orders.getRow(5).hidden = true;
const notes = book.addWorksheet('Key and value');
notes.getCell('B3').value = 'Report';
notes.getCell('B4').value = 'Owner';
notes.getCell('C4').value = 'Ann "A." Other, Ltd';
notes.getCell('B5').value = 'Lines';
notes.getCell('C5').value = 'first\nsecond';
notes.getCell('B7').value = 'Ratio';
notes.getCell('C7').value = 0;
notes.mergeCells('B3:C3');
book.addWorksheet('Empty');
book.addWorksheet('Archive').addRows(Array.from({ length: 40 }, (_, row) => [row + 1, `old ${row + 1}`]));
book.addWorksheet('Hidden', { state: 'hidden' }).addRow(['kept out of sight']);
write('orders.xlsx', Buffer.from(await book.xlsx.writeBuffer()));

const rows = Array.from({ length: 60 }, (_, row) => [
  row + 1,
  places[row % places.length],
  row * 1.5,
  row % 2 === 0,
]);
const legacy = sheetjs.utils.book_new();
sheetjs.utils.book_append_sheet(
  legacy,
  sheetjs.utils.aoa_to_sheet([['id', 'place', 'weight', 'ok'], ...rows]),
  'Data',
);
sheetjs.utils.book_append_sheet(legacy, sheetjs.utils.aoa_to_sheet([['only', 'row']]), 'More');
for (const [name, bookType] of [
  ['parcels.xls', 'biff8'],
  ['parcels.xlsb', 'xlsb'],
  ['parcels.ods', 'ods'],
])
  write(name, sheetjs.write(legacy, { type: 'buffer', bookType }));
