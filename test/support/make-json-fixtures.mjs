// Writes the JSON, JSON Lines and notebook files of fixtures/structured. Run by hand:
// `node test/support/make-json-fixtures.mjs`. Deterministic.
import { writeFileSync } from 'node:fs';

const write = (name, text) =>
  writeFileSync(new URL(`../../fixtures/structured/${name}`, import.meta.url), text);
const cities = ['Ghent', 'Łódź', 'Ōsaka', 'São Paulo'];
const order = (i) => ({
  id: 1000 + i,
  city: cities[i % cities.length],
  total: (i * 37.5) % 400,
  tags: i % 3 === 0 ? ['gift', 'express'] : [],
  customer: {
    name: `Customer ${i}`,
    address: { street: `${i} Long Street`, geo: { point: { lat: i / 7, lon: -i / 9 } } },
  },
});

write(
  'orders.json',
  `${JSON.stringify({ version: 3, orders: Array.from({ length: 240 }, (_, i) => order(i)) }, null, 1)}\n`,
);
write(
  'limits.json',
  `{"big": 123456789012345678901234567890, "tiny": -0, "huge": 1e400, "…": "a key like a mark", "text": "${'lorem ipsum '.repeat(120)}", "deep": ${'['.repeat(40)}1${']'.repeat(40)}, "wide": {${Array.from({ length: 90 }, (_, i) => `"key ${i}": ${i}`).join(', ')}}, "same": 1, "same": 2}\n`,
);
write('broken.json', '{\n  "name": "almost",\n  "list": [1, 2,, 3]\n}\n');
write(
  'events.jsonl',
  Array.from(
    { length: 150 },
    (_, i) =>
      `${JSON.stringify({ at: `2026-01-${String((i % 28) + 1).padStart(2, '0')}`, event: i % 5 ? 'view' : 'buy', note: i === 7 ? 'x'.repeat(900) : undefined })}\n`,
  ).join(''),
);
const cell = (type, source, more = {}) => ({ cell_type: type, metadata: {}, source, ...more });
write(
  'analysis.ipynb',
  `${JSON.stringify(
    {
      cells: [
        cell('markdown', ['# Sales\n', 'A look at the orders of a year.']),
        cell('code', ['import csv\n', 'rows = list(csv.reader(open("orders.csv")))\n', 'len(rows)'], {
          execution_count: 1,
          outputs: [
            {
              output_type: 'execute_result',
              execution_count: 1,
              metadata: {},
              data: { 'text/plain': ['121'] },
            },
          ],
        }),
        cell('code', ['for row in rows: print(row)'], {
          execution_count: 2,
          outputs: [
            {
              output_type: 'stream',
              name: 'stdout',
              text: Array.from({ length: 121 }, (_, i) => `['${i}', 'Customer ${i}']\n`),
            },
          ],
        }),
        cell('code', ['1 / 0'], {
          execution_count: 3,
          outputs: [
            {
              output_type: 'error',
              ename: 'ZeroDivisionError',
              evalue: 'division by zero',
              traceback: ['\u001b[0;31mZeroDivisionError\u001b[0m: division by zero'],
            },
          ],
        }),
        cell('code', ['plot(rows)'], {
          execution_count: 4,
          outputs: [
            {
              output_type: 'display_data',
              metadata: {},
              data: { 'image/png': 'iVBORw0KGgo'.repeat(40), 'text/plain': ['<Figure>'] },
            },
          ],
        }),
      ],
      metadata: {
        kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
        language_info: { name: 'python', version: '3.12' },
      },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  )}\n`,
);
