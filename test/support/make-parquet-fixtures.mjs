// Writes the Parquet file of fixtures/tabular. Run by hand: `node test/support/make-parquet-fixtures.mjs`. The same every
// time.
import { writeFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';

const places = ['Oslo', 'Łódź', 'São Paulo', '東京', ''];
const count = 500;
const column = (of) => Array.from({ length: count }, (_, row) => of(row));
const start = Date.UTC(2026, 0, 1);
const columnData = [
  { name: 'id', data: column((row) => 9_007_199_254_740_993n + BigInt(row)) },
  { name: 'place', data: column((row) => (row % 7 === 3 ? null : places[row % places.length])) },
  { name: 'day', data: column((row) => new Date(start + row * 86_400_000)) },
  { name: 'taken', data: column((row) => BigInt(start + row * 61_001) * 1000n + BigInt(row)) },
  { name: 'price', data: column((row) => ((row * 7919) % 100_000) / 100) },
  { name: 'level', data: column((row) => (row % 9 === 0 ? Number.NaN : row / 8)) },
  { name: 'open', data: column((row) => row % 3 === 0) },
  { name: 'photo', data: column((row) => Uint8Array.from({ length: row % 40 }, (_, at) => 255 - at)) },
  { name: 'ship', data: column((row) => ({ name: `Ship ${row % 12}`, crew: row % 30 })) },
  { name: 'tags', data: column((row) => Array.from({ length: row % 4 }, (_, at) => `t${at}`)) },
];
const schema = [
  { name: 'root', num_children: columnData.length },
  { name: 'id', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'place', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  { name: 'day', type: 'INT32', converted_type: 'DATE', repetition_type: 'REQUIRED' },
  {
    name: 'taken',
    type: 'INT64',
    repetition_type: 'REQUIRED',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  {
    name: 'price',
    type: 'INT32',
    converted_type: 'DECIMAL',
    scale: 2,
    precision: 9,
    repetition_type: 'REQUIRED',
  },
  { name: 'level', type: 'FLOAT', repetition_type: 'REQUIRED' },
  { name: 'open', type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  { name: 'photo', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
  { name: 'ship', num_children: 2, repetition_type: 'REQUIRED' },
  { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  { name: 'crew', type: 'INT32', repetition_type: 'REQUIRED' },
  { name: 'tags', num_children: 1, converted_type: 'LIST', repetition_type: 'OPTIONAL' },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
  { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
];
const buffer = parquetWriteBuffer({
  columnData,
  schema,
  rowGroupSize: 200,
  pageSize: 2048,
  createdBy: 'lectern fixture',
});
writeFileSync(new URL('../../fixtures/tabular/soundings.parquet', import.meta.url), new Uint8Array(buffer));
