// Folders, files and links in memory, and what each operation of a workspace should make of them: written from what the
// operations promise, without a look at how they keep it. Knows no quota and no cursor.

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Something with a name. Names are bytes, held as Latin-1. */
export type Node =
  | { readonly kind: 'directory'; readonly names: Map<string, Node> }
  | { readonly kind: 'file'; readonly content: string }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' };

export type Folder = Extract<Node, { readonly kind: 'directory' }>;

/** Why an operation must fail. */
export class Refused extends Error {
  readonly outside: boolean;

  constructor(outside: boolean = false) {
    super(outside ? 'outside' : 'refused');
    this.outside = outside;
  }
}

interface Place {
  readonly folder: Folder;
  /** Undefined for the root. */
  readonly name: string | undefined;
  readonly node: Node | undefined;
}

const latin1 = (name: string): string => Buffer.from(name).toString('latin1');

/** The other bytes that a name may stand for. */
function decoded(name: string): string | undefined {
  const bytes = name.replace(/\\x([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return bytes === name ? undefined : bytes;
}

/** As a listing shows a name. */
export function shown(name: string): string {
  const bytes = Buffer.from(name, 'latin1');
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return text.replace(/\\(?=x[0-9a-f]{2})/g, '\\u{5c}');
  return [...name].map((byte) => (byte >= '\x80' ? `\\x${byte.charCodeAt(0).toString(16)}` : byte)).join('');
}

export const newFolder = (): Folder => ({ kind: 'directory', names: new Map() });

export class ModelTree {
  readonly root: Folder = newFolder();

  /** The names of a path. */
  names(path: string): string[] {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    if (path.startsWith('/') && names.shift() !== 'workspace') throw new Refused(true);
    const found: string[] = [];
    for (const name of names)
      if (name !== '..') found.push(name);
      else if (found.pop() === undefined) throw new Refused(true);
    return found;
  }

  /** Where a path leads. `make` makes the folders that are missing. */
  place(path: string, how: { readonly follow: boolean; readonly make?: boolean }): Place {
    const pending = this.names(path).map((name) => ({ name, given: true }));
    const above: Folder[] = [this.root];
    let links = 0;
    for (;;) {
      const step = pending.shift();
      const folder = above.at(-1);
      if (!folder) throw new Refused(true);
      if (!step) return { folder, name: undefined, node: folder };
      if (!step.given && step.name === '..') {
        above.pop();
        if (above.length === 0) throw new Refused(true);
        continue;
      }
      const literal = step.given ? latin1(step.name) : step.name;
      const other = step.given ? decoded(literal) : undefined;
      const name =
        !folder.names.has(literal) && other !== undefined && folder.names.has(other) ? other : literal;
      const node = folder.names.get(name);
      const last = pending.length === 0;
      if (node?.kind === 'link' && !(last && !how.follow)) {
        links += 1;
        if (links > 40) throw new Refused();
        const { target } = node;
        const names = target.split('/').filter((one) => one !== '' && one !== '.');
        if (target.startsWith('/')) {
          if (names.shift() !== 'workspace') throw new Refused(true);
          above.splice(1);
        }
        pending.unshift(...names.map((one) => ({ name: one, given: false })));
        continue;
      }
      if (last) return { folder, name, node };
      if (node?.kind === 'directory') above.push(node);
      else if (node || how.make !== true) throw new Refused();
      else {
        const made = newFolder();
        folder.names.set(name, made);
        above.push(made);
      }
    }
  }

  /** What a path leads to. */
  get(path: string): Node {
    const { node } = this.place(path, { follow: true });
    if (!node) throw new Refused();
    return node;
  }

  write(path: string, content: string, how: { readonly overwrite: boolean; readonly sha256?: string }): void {
    const { folder, name, node } = this.place(path, { follow: true, make: true });
    if (name === undefined || (node && node.kind !== 'file')) throw new Refused();
    if (how.sha256 !== undefined) {
      if (node?.kind !== 'file' || sha256Of(node.content) !== how.sha256) throw new Refused();
    } else if (node && !how.overwrite) throw new Refused();
    folder.names.set(name, { kind: 'file', content });
  }

  remove(path: string, recursive: boolean): void {
    const { folder, name, node } = this.place(path, { follow: false });
    if (name === undefined || !node || (node.kind === 'directory' && !recursive)) throw new Refused();
    folder.names.delete(name);
  }

  move(from: string, to: string, overwrite: boolean): void {
    const source = this.place(from, { follow: false });
    if (source.name === undefined || !source.node) throw new Refused();
    const target = this.place(to, { follow: false, make: true });
    if (target.name === undefined) throw new Refused();
    const replaceable = target.node?.kind === 'file' || target.node?.kind === 'link';
    if (target.node && !(overwrite && replaceable)) throw new Refused();
    if (source.node.kind === 'directory') {
      if (target.node || holds(source.node, target.folder)) throw new Refused();
    }
    source.folder.names.delete(source.name);
    target.folder.names.set(target.name, source.node);
  }

  copy(): ModelTree {
    const tree = new ModelTree();
    for (const [name, node] of this.root.names) tree.root.names.set(name, copyOf(node));
    return tree;
  }

  get usage(): { readonly bytes: number; readonly files: number } {
    const all = below(this.root);
    const bytes = all.reduce((sum, { node }) => sum + (node.kind === 'file' ? node.content.length : 0), 0);
    return { bytes, files: all.length };
  }
}

export const sha256Of = (content: string): string => createHash('sha256').update(content).digest('hex');

function holds(folder: Folder, wanted: Folder): boolean {
  if (folder === wanted) return true;
  return [...folder.names.values()].some((node) => node.kind === 'directory' && holds(node, wanted));
}

/** Files stay the same thing: two names of one are two names of its copy. */
function copyOf(node: Node): Node {
  if (node.kind !== 'directory') return node;
  return { kind: 'directory', names: new Map([...node.names].map(([name, one]) => [name, copyOf(one)])) };
}

/** Everything below, in the order of the bytes of the paths. */
export function below(
  folder: Folder,
  depth: number = Number.POSITIVE_INFINITY,
): { readonly key: string; readonly node: Node }[] {
  const found: { readonly key: string; readonly node: Node }[] = [];
  const walk = (one: Folder, prefix: string, level: number): void => {
    for (const [name, node] of one.names) {
      found.push({ key: prefix + name, node });
      if (node.kind === 'directory' && level < depth) walk(node, `${prefix}${name}/`, level + 1);
    }
  };
  walk(folder, '', 1);
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What really lies in a folder of this host. */
export function onDisk(path: Buffer): string[] {
  const found: string[] = [];
  const walk = (folder: Buffer, prefix: string): void => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const at = Buffer.concat([folder, Buffer.from('/'), name]);
      const key = prefix + name.toString('latin1');
      const stats = lstatSync(at);
      if (stats.isDirectory()) {
        found.push(`${key} directory`);
        walk(at, `${key}/`);
      } else if (stats.isFile()) found.push(`${key} file ${readFileSync(at, 'latin1')}`);
      else if (stats.isSymbolicLink()) found.push(`${key} link ${readlinkSync(at)}`);
      else found.push(`${key} other`);
    }
  };
  walk(path, '');
  return found.sort();
}

/** The same of a model. */
export function inModel(tree: ModelTree): string[] {
  return below(tree.root)
    .map(({ key, node }) => {
      if (node.kind === 'file') return `${key} file ${node.content}`;
      return node.kind === 'link' ? `${key} link ${node.target}` : `${key} ${node.kind}`;
    })
    .sort();
}
