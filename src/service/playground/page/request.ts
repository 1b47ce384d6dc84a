// Form controls for the fields of a read request: those a format supports, and the values entered.

export type FieldName =
  | 'maxTokens'
  | 'lines'
  | 'rows'
  | 'columns'
  | 'header'
  | 'sheet'
  | 'pages'
  | 'pointer'
  | 'symbol'
  | 'region'
  | 'bytes'
  | 'changes'
  | 'detail'
  | 'overflow'
  | 'format'
  | 'encoding'
  | 'numbered'
  | 'all';

/** The request to send, without the fields that were left empty. */
export type RequestValues = Readonly<Record<string, string | number | boolean>>;

export interface Field {
  readonly name: FieldName;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'choice' | 'switch';
  readonly example?: string;
  readonly choices?: readonly string[];
  readonly help: string;
}

const SELECTIONS: readonly Field[] = [
  {
    name: 'lines',
    label: 'Lines',
    kind: 'text',
    example: '201-400',
    help: 'A range, or -100 for the last 100',
  },
  { name: 'rows', label: 'Rows', kind: 'text', example: '1-50', help: 'A range, or -100 for the last 100' },
  { name: 'columns', label: 'Columns', kind: 'text', example: 'id,city', help: 'Names, numbers or letters' },
  { name: 'header', label: 'No header', kind: 'switch', help: 'The first record is a row' },
  { name: 'sheet', label: 'Sheet', kind: 'text', example: '1', help: 'Name or number' },
  { name: 'pages', label: 'Pages', kind: 'text', example: '1-3,7', help: 'Ranges, separated by commas' },
  { name: 'pointer', label: 'Pointer', kind: 'text', example: '/items/3', help: 'JSON Pointer to a value' },
  { name: 'symbol', label: 'Symbol', kind: 'text', example: 'Reader.read', help: 'A definition in code' },
  {
    name: 'region',
    label: 'Region',
    kind: 'text',
    example: '0,0,400,300',
    help: 'left,top,width,height in pixels',
  },
  {
    name: 'bytes',
    label: 'Bytes',
    kind: 'text',
    example: '-100000',
    help: 'Part of a large text file, in bytes',
  },
  { name: 'changes', label: 'Changes', kind: 'choice', choices: ['accept', 'mark'], help: 'Tracked changes' },
];
const OTHERS: readonly Field[] = [
  {
    name: 'detail',
    label: 'Detail',
    kind: 'choice',
    choices: ['low', 'auto', 'full'],
    help: 'Image resolution',
  },
  {
    name: 'overflow',
    label: 'Overflow',
    kind: 'choice',
    choices: ['truncate', 'error', 'outline'],
    help: 'What to do if the file exceeds the budget',
  },
  {
    name: 'format',
    label: 'Format',
    kind: 'choice',
    choices: ['csv', 'markdown', 'json', 'text'],
    help: 'Output format of tables',
  },
  {
    name: 'encoding',
    label: 'Encoding',
    kind: 'text',
    example: 'shift_jis',
    help: 'Overrides the detected encoding',
  },
  { name: 'numbered', label: 'Number the lines', kind: 'switch', help: 'Prefix each line with its number' },
  { name: 'all', label: 'Whole file', kind: 'switch', help: 'No limits and no budget' },
];
const BUDGET: Field = {
  name: 'maxTokens',
  label: 'Budget',
  kind: 'number',
  example: '5000',
  help: 'Maximum tokens of the answer, including notes',
};

/** The label of the control for a field, as messages of the page name it. */
export function labelOf(field: string): string | undefined {
  return [BUDGET, ...SELECTIONS, ...OTHERS].find(({ name }) => name === field)?.label;
}

/** The controls for files whose formats support `selects`. */
export function fieldsFor(selects: ReadonlySet<string>): readonly Field[] {
  const has = (...names: string[]) => names.some((name) => selects.has(name));
  const shown: Partial<Record<FieldName, boolean>> = {
    detail: has('region', 'pages'),
    format: has('rows', 'pointer', 'lines'),
    encoding: has('lines', 'rows', 'pointer'),
    numbered: has('lines'),
  };
  return [
    BUDGET,
    ...SELECTIONS.filter(({ name }) => has(name)),
    ...OTHERS.filter(({ name }) => shown[name] ?? true),
  ];
}

/** Builds a request from the values entered. Omits empty fields and fields without a control. */
export function requestOf(
  entered: Readonly<Record<string, string>>,
  fields: readonly Field[],
): RequestValues {
  const request: Record<string, string | number | boolean> = {};
  for (const { name, kind } of fields) {
    const value = (entered[name] ?? '').trim();
    if (value === '') continue;
    if (kind === 'switch') request[name] = name !== 'header';
    else if (kind === 'number') request[name] = Number(value);
    else request[name] = value;
  }
  return request;
}
