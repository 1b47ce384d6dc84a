import { createClient } from '@libsql/client';
import { createWorkspace } from 'lectern';

const { rows } = await createClient({ url: 'file:orders.db' }).execute('SELECT * FROM orders');

const workspace = createWorkspace({ user: 'ada', session: 'q3' });
const saved = await workspace.saveResult(rows, { name: 'orders.csv' }); // or .jsonl, .json, .xlsx, .txt
console.log(saved.rows, 'rows in', saved.mounted); // 50000 rows in /workspace/results/orders.csv
console.log(saved.columns?.map(({ name, type }) => `${name}: ${type}`).join(', '));
console.log(saved.preview);
