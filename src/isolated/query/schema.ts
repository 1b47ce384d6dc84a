// The tables of a query and their columns, as messages list them.

/** A table and its columns; names as they are written in SQL. No columns: it was not read, because no query names it. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

const MAX_SCHEMA = 1500;

/** `Tables: orders(id BIGINT, city VARCHAR).` */
export function tablesHint(tables: readonly TableSchema[]): string {
  if (tables.length === 0) return 'There are no tables.';
  let text = '';
  for (const [at, { name, columns }] of tables.entries()) {
    const listed = columns.map((column) => `${column.name} ${column.type}`).join(', ');
    const next = `${at === 0 ? '' : '; '}${name}${listed === '' ? '' : `(${listed})`}`;
    if (text.length + next.length > MAX_SCHEMA) {
      text = `${text}${next}`.slice(0, MAX_SCHEMA);
      return `Tables: ${text} … (${tables.length} tables; \`DESCRIBE\` lists the columns of one).`;
    }
    text += next;
  }
  return `Tables: ${text}.`;
}
