// Generates code for the current request: command line, TypeScript, curl, MCP.

import type { RequestValues } from './request.ts';

export interface Snippet {
  readonly id: 'cli' | 'typescript' | 'curl' | 'mcp';
  readonly label: string;
  readonly code: string;
}

const SAFE_WORD = /^[\w@%+=:,./-]+$/;
const shell = (word: string): string => (SAFE_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
/** A name that starts with a dash would be parsed as an option. */
const path = (name: string): string => shell(name.startsWith('-') ? `./${name}` : name);
const flag = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const text = (value: unknown): string => JSON.stringify(value);

/** The server, and whether it requires a key. */
export interface Address {
  /** Without a trailing slash. */
  readonly url: string;
  readonly keyed: boolean;
}

/** `names` must not be empty. */
export function snippetsOf(
  names: readonly string[],
  request: RequestValues,
  address: Address,
): readonly Snippet[] {
  const { place = '', ...others } = request;
  const addresses = names.map((name) => `${name}${place}`);
  return [
    { id: 'cli', label: 'CLI', code: cli(addresses, others) },
    { id: 'typescript', label: 'TypeScript', code: typescript(addresses, others) },
    { id: 'curl', label: 'curl', code: curl(names, request, address) },
    { id: 'mcp', label: 'MCP', code: mcp(addresses, others) },
  ];
}

function cli(names: readonly string[], request: RequestValues): string {
  const flags = Object.entries(request).map(([field, value]) =>
    // `=` is needed: a value such as -100 would be parsed as an option.
    value === true ? flag(field) : `${flag(field)}=${shell(String(value))}`,
  );
  return ['lectern read', ...flags, ...names.map(path)].join(' ');
}

function typescript(names: readonly string[], request: RequestValues): string {
  const options = Object.keys(request).length > 0 ? `, ${object(request)}` : '';
  const [first = ''] = names;
  const read =
    names.length === 1
      ? `const result = await reader.read(${text(first)}${options});`
      : `const results = await reader.readMany([${names.map(text).join(', ')}]${options});`;
  return `import { createReader } from 'lectern';\n\nconst reader = createReader();\n${read}`;
}

const object = (request: RequestValues): string =>
  `{ ${Object.entries(request)
    .map(([field, value]) => `${field}: ${text(value)}`)
    .join(', ')} }`;

/** Copied code reads the key from the environment. */
const KEY_HEADER = '-H "authorization: Bearer $LECTERN_API_KEY"';

function curl(names: readonly string[], request: RequestValues, { url, keyed }: Address): string {
  const parts = names.map((name) => `-F ${shell(`file=@${curlName(name)}`)}`);
  const fields = Object.keys(request).length > 0 ? [`-F ${shell(`request=${text(request)}`)}`] : [];
  return [`curl ${url}/v1/read`, ...(keyed ? [KEY_HEADER] : []), ...fields, ...parts].join(' \\\n  ');
}

/** Quoted, because curl ends an unquoted file name at `;` or `,`. */
const curlName = (name: string): string =>
  /[;,"]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;

function mcp(names: readonly string[], request: RequestValues): string {
  // `read_file` always has a budget, and supports only `outline` as an overflow mode.
  const { maxTokens, overflow, all: _all, ...others } = request;
  const given = {
    ...others,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(overflow === 'outline' && { outline: true }),
  };
  return names
    .map((path) => ({ method: 'tools/call', params: { name: 'read_file', arguments: { path, ...given } } }))
    .map((call) => JSON.stringify(call, null, 2))
    .join('\n');
}
