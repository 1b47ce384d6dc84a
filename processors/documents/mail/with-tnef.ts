// Joins a mail with the Outlook message it carries as `winmail.dat`: a version of its text, and more attachments.

import { NotThisFormat, quoted, ReaderError } from '../../../src/contract/index.ts';
import type { ConvertContext } from '../document.ts';
import { BytesSource } from './bytes-source.ts';
import type { Attachment, Body, Mail } from './mail.ts';

/** The mail with what its Outlook messages contain; they stay among the attachments. */
export async function withTnef(mail: Mail, context: ConvertContext): Promise<Mail> {
  let joined = mail;
  for (const attachment of mail.attachments)
    if (/^application\/(?:vnd\.)?ms-tnef$/.test(attachment.type) || /^winmail\.dat$/i.test(attachment.name))
      joined = await joinedWith(joined, attachment, context);
  return joined;
}

async function joinedWith(mail: Mail, carrier: Attachment, context: ConvertContext): Promise<Mail> {
  const inner = await messageIn(carrier, context);
  if (!inner)
    return {
      ...mail,
      warnings: [
        ...mail.warnings,
        {
          code: 'SKIPPED_CONTENT',
          message: `${quoted(carrier.name)} is not a readable Outlook message; it is only listed.`,
        },
      ],
    };
  const nameOf = (name: string): string => `${carrier.name}!/${name}`;
  const attachments = mail.attachments.flatMap((attachment) =>
    attachment === carrier
      ? [
          { ...carrier, note: 'the Outlook form of this mail' },
          ...inner.attachments.map((one) => ({ ...one, name: nameOf(one.name) })),
        ]
      : [attachment],
  );
  const pictures = new Map([...inner.pictures].map(([id, name]) => [id, nameOf(name)]));
  return {
    ...mail,
    bodies: joinedBodies(mail.bodies, inner.bodies),
    attachments,
    warnings: [...mail.warnings, ...inner.warnings],
    pictures: new Map([...pictures, ...mail.pictures]),
  };
}

/** The same text in other versions; without a text of the mail, the text. */
function joinedBodies(own: readonly Body[], inner: readonly Body[]): readonly Body[] {
  const [first, ...rest] = own;
  if (!first) return inner;
  const versions = inner.flatMap(({ others = [], ...body }) => [body, ...others]);
  if (versions.length === 0) return own;
  return [{ ...first, others: [...(first.others ?? []), ...versions] }, ...rest];
}

/** Undefined for a file that is not one. */
async function messageIn(carrier: Attachment, context: ConvertContext): Promise<Mail | undefined> {
  const { readTnef } = await import('../tnef/read.ts');
  try {
    return await readTnef(new BytesSource(await carrier.bytes()), context);
  } catch (error) {
    if (error instanceof NotThisFormat || (error instanceof ReaderError && error.code !== 'ABORTED'))
      return undefined;
    throw error;
  }
}
