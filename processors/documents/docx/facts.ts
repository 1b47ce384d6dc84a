// Facts of a Word package besides its text: properties, and content that is never opened.

import type { FormatFacts } from '../../../src/contract/index.ts';
import type { OoxmlPackage } from '../ooxml/package.ts';

const MAX_NAMES = 100;
const MAX_LENGTH = 500;

/** Document properties, plus `macros`, `embedded` (names of embedded files) and `remoteTemplate` if present. */
export async function packageFacts(pack: OoxmlPackage, main: string): Promise<FormatFacts> {
  const embedded: string[] = [];
  let macros = false;
  for (const name of pack.zip.entries.keys()) {
    if (/(?:^|\/)vbaProject\.bin$/i.test(name)) macros = true;
    else if (
      /(?:^|\/)(?:embeddings|activeX)\/[^/]+$/i.test(name) &&
      !/\.(?:xml|rels)$/i.test(name) &&
      embedded.length < MAX_NAMES
    )
      embedded.push(name.slice(name.lastIndexOf('/') + 1));
  }
  const settings = [...(await pack.relationships(main)).values()].find((one) => one.type === 'settings');
  const template =
    settings && !settings.external
      ? [...(await pack.relationships(settings.target)).values()].find(
          (one) => one.type === 'attachedTemplate' && /^(?:https?|ftp):/i.test(one.target),
        )
      : undefined;
  return {
    ...(await pack.properties()),
    ...(macros && { macros: true }),
    ...(embedded.length > 0 && { embedded }),
    ...(template && { remoteTemplate: template.target.slice(0, MAX_LENGTH) }),
  };
}
