import { parseAddress, printAddress } from 'lectern';

const address = printAddress('book.xlsx', { sheet: 'My sheet', cells: 'B4:C9' });
console.log(address); // book.xlsx#'My sheet'!B4:C9
const { path, place } = parseAddress(address, { name: 'xlsx', selects: ['sheet', 'rows', 'columns'] });
console.log(path, place); // book.xlsx { sheet: 'My sheet', cells: 'B4:C9' }
