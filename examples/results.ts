import { createReader, createWorkspace } from 'lectern';

const workspace = createWorkspace({ user: 'ada', session: 'q3' }); // ./data/workspaces/ada/q3
const rows = Array.from({ length: 50_000 }, (_, i) => ({ id: i + 1, city: 'Porto', total: i * 1.25 }));

const saved = await workspace.saveResult(rows, { name: 'orders.csv', overwrite: true });
console.log(saved.preview); // a few rows and the exact count, for the model

const reader = createReader({ workspace }); // resolves paths inside the workspace
const answer = await reader.read(saved.path, { rows: '40001-40003' });
console.log(answer.success && answer.text);
