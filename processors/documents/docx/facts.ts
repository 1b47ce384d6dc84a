// What a Word document's package tells of it beside its text: properties, and what it carries that is never opened.

import type { FormatFacts } from '../../../src/contract/index.ts';
import type { OoxmlPackage } from '../ooxml/package.ts';

const MAX_NAMES = 100;
const MAX_LENGTH = 500;

/** Document properties; `macros`, `embedded` (names of files inside) and `remoteTemplate` where there are any. */
export async function packageFacts(pack: OoxmlPackage, main: string): Promise<FormatFacts> {
  const embedded: string[] = [];
  let macros = false;
  for (const name of pack.zip.entries.keys()) {
    if (/(?:^|\/)vbaProject\.bin$/i.test(name)) macros = true;
    else if (
      /(?:^|\/)(?:embeddings|activeX)\/(?!.*\.(?:xml|rels)$)[^/]+$/i.test(name) &&
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
