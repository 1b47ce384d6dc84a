// Files of the workspace as resources: `workspace:///reports/q3.csv` is `reports/q3.csv`. What is in a file is what the
// reader says of it, pictures and recordings as bytes.

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

/** RFC 6570, level 2: slashes stay. */
export const URI_TEMPLATE = 'workspace:///{+path}';

/** Files named in one page of the list. */
const PAGE = 200;

/** The resource that a file of the workspace is. `path` as the workspace gives it. */
export function uriOf(path: string): string {
  return `${SCHEME}///${path.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The path of a resource, for the workspace to check: nothing is opened by it that the workspace does not allow.
 * @throws {ReaderError} BAD_INPUT for what is no such URI
 */
export function pathOf(uri: string): string {
  const refuse = (what: string): ReaderError =>
    new ReaderError(
      'BAD_INPUT',
      `${quoted(uri)} ${what}.`,
      'Write it as in `workspace:///reports/q3.csv`, with other characters percent-encoded.',
    );
  if (!uri.toLowerCase().startsWith(`${SCHEME}///`)) throw refuse('is no file of the workspace');
  const encoded = uri.slice(SCHEME.length + 3);
  if (/[?#]/.test(encoded)) throw refuse('has a query or a fragment');
  return encoded
    .split('/')
    .map((part) => {
      const name = decoded(part);
      if (name === undefined) throw refuse('is not percent-encoded UTF-8');
      // No file's name holds one: it would lead where the URI does not show.
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

/** A file, as a list of resources names it. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: { readonly lastModified: string };
  readonly [key: string]: unknown;
}

/** A page of the files that ignore files do not leave out, in order of their paths. @throws {ReaderError} STALE_CURSOR ... */
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

/** Subtypes (IANA media types) of endings that are not called what they are. */
const SUBTYPE: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  htm: 'html',
  md: 'markdown',
  yml: 'yaml',
  tsv: 'tab-separated-values',
  svg: 'svg+xml',
};

/** What a file's ending says it is; undefined where the ending leaves it open. */
function typeOf(path: string, processors: readonly Processor[]): string | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const processor = processors.find(({ extensions }) => extensions.some((one) => one === `.${ending}`));
  if (!processor) return undefined;
  const { fileType, mimeTypes, textual, extensions } = processor;
  if (fileType === 'code') return 'text/plain';
  const named = mimeTypes.find((type) => type.split('/')[1] === (SUBTYPE[ending] ?? ending));
  // Otherwise a processor's first type is that of its first ending, and of any kind of text.
  return named ?? (textual || extensions[0] === `.${ending}` ? mimeTypes[0] : undefined);
}

/** What a resource holds, by piece. */
export type ResourceContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** What a model would be shown of a file, and its pictures or recordings. @throws {ReaderError} as a read fails */
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
