// The operations that serve the playground: its page and the files beside it.

import { z } from 'zod';
import { ReaderError } from '../../index.ts';
import { type Operation, operation, type Reply } from '../http/operation.ts';
import { type Asset, loadPlayground, PLAYGROUND_CSP } from '../playground/assets.ts';

/** Loads the built page; a page that was not built says so. */
export async function playgroundOperations(): Promise<readonly Operation[]> {
  const assets = await loadPlayground();
  return [
    operation({
      id: 'playground',
      method: 'GET',
      path: '/',
      tag: 'Reference',
      summary: 'The playground, a page to try the API with',
      scope: null,
      headers: ['if-none-match'],
      answers: {
        200: { description: 'HTML.', content: { 'text/html': undefined } },
        304: HAS_IT,
      },
      problems: { 404: NOT_BUILT },
      run: ({ headers }) => Promise.resolve(replyOf(assets.get('/'), headers['if-none-match'])),
    }),
    operation({
      id: 'playgroundAsset',
      method: 'GET',
      path: '/assets/{name}',
      tag: 'Reference',
      summary: 'A script or style sheet of the playground',
      scope: null,
      params: z.object({ name: z.string() }),
      headers: ['if-none-match'],
      answers: {
        200: { description: 'The file.', content: { 'text/javascript': undefined, 'text/css': undefined } },
        304: HAS_IT,
      },
      problems: { 404: NOT_BUILT },
      run: ({ params, headers }) =>
        Promise.resolve(replyOf(assets.get(`/assets/${params.name}`), headers['if-none-match'])),
    }),
  ];
}

const HAS_IT = { description: 'The client has it, by `If-None-Match`.' };
const NOT_BUILT = 'The playground has no such file.';

function replyOf(asset: Asset | undefined, known: string | undefined): Reply {
  if (!asset) throw new ReaderError('FILE_NOT_FOUND', NOT_BUILT, 'Load the page again.');
  const { body, contentType, etag, cacheControl } = asset;
  const headers = {
    etag,
    'cache-control': cacheControl,
    'content-security-policy': PLAYGROUND_CSP,
    'referrer-policy': 'no-referrer',
  };
  return known === etag ? { status: 304, headers } : { body, type: contentType, headers };
}
