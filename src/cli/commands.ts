// The list of commands. Each command is loaded on first use.

import type { CommandEntry } from './command.ts';

/** In the order help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'read',
    usage: 'FILE...',
    help: 'Print what a model would see of each file; `-` is standard input.',
    takes: 'files',
    load: async () => (await import('./read-command.ts')).read,
  },
  {
    name: 'inspect',
    usage: 'FILE...',
    help: 'Print the type, encoding and counts of each file, without content.',
    takes: 'files',
    load: async () => (await import('./inspect-command.ts')).inspect,
  },
  {
    name: 'tokens',
    usage: 'FILE...',
    help: 'Print how many tokens each whole file costs.',
    takes: 'files',
    load: async () => (await import('./tokens-command.ts')).tokens,
  },
  {
    name: 'tree',
    usage: '[FOLDER]',
    help: 'Print the files of a folder with sizes and tokens, as deep as the budget allows.',
    takes: 'folder',
    load: async () => (await import('./tree-command.ts')).tree,
  },
  {
    name: 'pack',
    usage: 'FOLDER|FILE...',
    help: 'Print many files under one budget: small ones whole, large ones as outline and beginning.',
    takes: 'files',
    load: async () => (await import('./pack-command.ts')).pack,
  },
  {
    name: 'query',
    usage: 'FILE... SQL',
    help: 'Run an SQL query over files: tables, JSON, workbooks, databases; `-` is standard input.',
    takes: 'files',
    load: async () => (await import('./query-command.ts')).query,
  },
  {
    name: 'compact',
    usage: 'FILE',
    help: 'Compact a conversation to fit the context window of its model; `-` is standard input.',
    takes: 'files',
    load: async () => (await import('./compact-command.ts')).compact,
  },
  {
    name: 'plan',
    usage: 'show',
    help: "Show an agent's goal, steps and progress.",
    actions: ['show'],
    load: async () => (await import('./plan-command.ts')).plan,
  },
  {
    name: 'recall',
    usage: 'search WORD...|add FILE...',
    help: "Search an agent's archive, or add documents to it.",
    actions: ['search', 'add'],
    takes: 'files',
    load: async () => (await import('./recall-command.ts')).recall,
  },
  {
    name: 'formats',
    usage: '',
    help: 'List the supported formats with their file extensions.',
    load: async () => (await import('./facts-commands.ts')).formats,
  },
  {
    name: 'limits',
    usage: '',
    help: 'List every limit with its value, environment variable and flag.',
    load: async () => (await import('./facts-commands.ts')).limits,
  },
  {
    name: 'cache',
    usage: 'stats|clear',
    help: 'Show or clear the cache of converted documents.',
    actions: ['stats', 'clear'],
    load: async () => (await import('./cache-command.ts')).cache,
  },
  {
    name: 'mcp',
    usage: '',
    help: 'Serve a folder or a stored workspace to an MCP client, over standard input and output.',
    load: async () => (await import('./mcp-command.ts')).mcp,
  },
  {
    name: 'serve',
    usage: '',
    help: 'Serve the HTTP API, MCP and the playground.',
    load: async () => (await import('./serve-command.ts')).serve,
  },
  {
    name: 'keys',
    usage: 'add|list|revoke [KEY_ID]',
    help: 'Manage the keys of a service.',
    actions: ['add', 'list', 'revoke'],
    load: async () => (await import('./keys-command.ts')).keys,
  },
  {
    name: 'completion',
    usage: 'bash|zsh|fish',
    help: 'Print a script that completes commands, options and file names in a shell.',
    actions: ['bash', 'zsh', 'fish'],
    load: async () => (await import('./completion-command.ts')).completion,
  },
  {
    name: 'doctor',
    usage: '',
    help: 'Check this installation: versions, scanner, temporary space, and protection of workspaces and isolation.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
];
