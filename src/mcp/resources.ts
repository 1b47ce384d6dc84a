// Exposes workspace files as resources: `workspace:///reports/q3.csv` is `reports/q3.csv`. The content is what the
// reader returns, with pictures and recordings as bytes.

import { quoted } from '../contract/index.ts';
import {
  type FileExtractionResult,
  type Processor,
  type Reader,
  ReaderError,
  type Workspace,
} from '../index.ts';
import { MAX_ANSWER_TOKENS } from './client-limits.ts';

const SCHEME = 'workspace:';

/** RFC 6570, level 2: slashes are kept. */
export const URI_TEMPLATE = 'workspace:///{+path}';

/** Files per page of the list. */
const PAGE = 200;

/** The resource URI of a workspace file. `path` as returned by the workspace. */
export function uriOf(path: string): string {
  return `${SCHEME}///${path.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The path of a resource URI. The workspace validates it and opens nothing it does not allow.
 * @throws {ReaderError} BAD_INPUT for an invalid URI
 */
export function pathOf(uri: string): string {
  const refuse = (what: string): ReaderError =>
    new ReaderError(
      'BAD_INPUT',
      `${quoted(uri)} ${what}.`,
      'Write it as in `workspace:///reports/q3.csv`, with other characters percent-encoded.',
    );
  if (!uri.toLowerCase().startsWith(`${SCHEME}///`)) throw refuse('does not name a file of the workspace');
  const encoded = uri.slice(SCHEME.length + 3);
  if (/[?#]/.test(encoded)) throw refuse('has a query or a fragment');
  return encoded
    .split('/')
    .map((part) => {
      const name = decoded(part);
      if (name === undefined) throw refuse('is not percent-encoded UTF-8');
      // File names cannot contain a slash, and an encoded one would hide where the URI leads.
      if (name.includes('/')) throw refuse('has an encoded slash');
      return name;
    })
    .join('/');
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** A file in a list of resources. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: { readonly lastModified: string };
  readonly [key: string]: unknown;
}

/** A page of files that are not ignored, sorted by path. @throws {ReaderError} STALE_CURSOR ... */
export async function listResources(
  workspace: Workspace,
  processors: readonly Processor[],
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ resources: ListedResource[]; nextCursor?: string }> {
  const { entries, next } = await workspace.glob('**', {
    limit: Math.min(PAGE, workspace.limits.maxListedEntries),
    signal,
    ...(cursor !== undefined && { cursor }),
  });
  const resources = entries
    .filter(({ kind }) => kind === 'file')
    .map(({ path, bytes, modified }) => {
      const mimeType = typeOf(path, processors);
      return {
        uri: uriOf(path),
        name: path,
        ...(mimeType !== undefined && { mimeType }),
        ...(bytes !== undefined && { size: bytes }),
        ...(modified !== undefined && { annotations: { lastModified: modified } }),
      };
    });
  return { resources, ...(next !== null && { nextCursor: next }) };
}

/** Subtypes (IANA media types) of extensions that differ from them. */
const SUBTYPE: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  htm: 'html',
  md: 'markdown',
  yml: 'yaml',
  tsv: 'tab-separated-values',
  svg: 'svg+xml',
};

/** The type implied by a file's extension; undefined if ambiguous. */
function typeOf(path: string, processors: readonly Processor[]): string | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const processor = processors.find(({ extensions }) => extensions.some((one) => one === `.${ending}`));
  if (!processor) return undefined;
  const { fileType, mimeTypes, textual, extensions } = processor;
  if (fileType === 'code') return 'text/plain';
  const named = mimeTypes.find((type) => type.split('/')[1] === (SUBTYPE[ending] ?? ending));
  // A processor's first type belongs to its first extension, and to any kind of text.
  return named ?? (textual || extensions[0] === `.${ending}` ? mimeTypes[0] : undefined);
}

/** A piece of a resource. */
export type ResourceContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** What a model would be shown of a file, and its pictures or recordings. @throws {ReaderError} errors of the read */
export async function readResource(
  reader: Reader,
  uri: string,
  signal: AbortSignal,
  onProgress?: (progress: { readonly bytes: number; readonly of: number }) => void,
): Promise<ResourceContent[]> {
  const result: FileExtractionResult = await reader.read(pathOf(uri), {
    maxTokens: MAX_ANSWER_TOKENS,
    signal,
    ...(onProgress && { onProgress }),
  });
  if (!result.success) throw new ReaderError(result.error.code, result.error.message, result.error.hint);
  const media = result.content.flatMap((part) =>
    part.kind === 'binary'
      ? [{ uri, mimeType: part.mimeType, blob: Buffer.from(part.data).toString('base64') }]
      : [],
  );
  return [{ uri, mimeType: 'text/plain', text: result.text }, ...media];
}
