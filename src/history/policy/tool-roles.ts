// What a compactor knows about tools by name: built-in roles for common tools, which the caller can extend or override.

/**
 * - `keep`: results stay in the prompt, for example a plan.
 * - `read`: results come from files, so long ones are truncated and never saved again.
 * - `{ writes }`: names of the arguments that hold the content a call writes to a file.
 */
export type ToolRole = 'keep' | 'read' | { readonly writes: readonly string[] };

/** lectern's own readers. */
const READERS = ['read_file', 'list_files', 'find_files', 'search_files', 'file_info'];

/**
 * Tools that write files, with their content arguments: lectern, Claude Code, the Anthropic text editor, deepagents,
 * Cline, Roo and MCP's filesystem server.
 */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  write_file: ['content', 'contents', 'text', 'data'],
  write: ['content', 'contents', 'text'],
  Write: ['content'],
  create_file: ['content', 'contents', 'text', 'file_text'],
  create: ['content', 'file_text'],
  write_to_file: ['content'],
  append_file: ['content', 'text'],
  save_file: ['content', 'text'],
  edit_file: [
    'old_text',
    'new_text',
    'oldText',
    'newText',
    'old_string',
    'new_string',
    'edits',
    'content',
    'code_edit',
  ],
  edit: [
    'oldText',
    'newText',
    'old_text',
    'new_text',
    'old_string',
    'new_string',
    'oldString',
    'newString',
    'edits',
  ],
  Edit: ['old_string', 'new_string'],
  MultiEdit: ['edits'],
  NotebookEdit: ['new_source'],
  multi_edit: ['edits'],
  replace_in_file: ['diff'],
  apply_diff: ['diff'],
  str_replace: ['old_str', 'new_str'],
  str_replace_editor: ['file_text', 'old_str', 'new_str', 'insert_text'],
  str_replace_based_edit_tool: ['file_text', 'old_str', 'new_str', 'insert_text'],
  insert: ['insert_text'],
  apply_patch: ['patch', 'input'],
  save_result: ['rows', 'data', 'content', 'text'],
};

const USUAL: readonly (readonly [string, ToolRole])[] = [
  ...READERS.map((name) => [name, 'read'] as const),
  ...Object.entries(WRITERS).map(([name, writes]) => [name, { writes }] as const),
];

/** Roles of tools by name. */
export class ToolRoles {
  readonly #roles: ReadonlyMap<string, ToolRole>;
  /** Whether any tool has the role `keep`; if not, callers can skip the search. */
  readonly keepsAny: boolean;

  /** `given` overrides the built-in roles. */
  constructor(given: Readonly<Record<string, ToolRole>> = {}) {
    this.#roles = new Map([...USUAL, ...Object.entries(given)]);
    this.keepsAny = [...this.#roles.values()].includes('keep');
  }

  isKept(tool: string | null): boolean {
    return this.#roles.get(tool ?? '') === 'keep';
  }

  isReader(tool: string | null): boolean {
    return this.#roles.get(tool ?? '') === 'read';
  }

  /** Content arguments of a tool; empty if it does not write files. */
  contents(tool: string | null): readonly string[] {
    const role = this.#roles.get(tool ?? '');
    return typeof role === 'object' ? role.writes : [];
  }
}

/** A role in words. */
export const ROLES = "`'keep'`, `'read'` or `{ writes: ['content'] }`";

export function isRole(value: unknown): value is ToolRole {
  if (value === 'keep' || value === 'read') return true;
  if (typeof value !== 'object' || value === null || !('writes' in value)) return false;
  const { writes } = value;
  return Array.isArray(writes) && writes.every((name) => typeof name === 'string');
}
