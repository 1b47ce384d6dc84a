import { createReader, createReadPool } from 'lectern';

const pool = createReadPool(); // child processes, one for each core by default
const reader = createReader({ isolation: pool });
const [first, second] = await reader.readMany(['fixtures/documents/gauges.pdf', 'fixtures/mail/report.eml']);
console.log(first?.success, second?.success); // true true
await pool.close();
