// Prints synthetic statements, invoices and registers as PDF, all in one browser.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '../../integrations/bench/chromium.mjs';
import { ledgerPage } from './ledger-page.mjs';
import { ledger, truthOf } from './ledgers.mjs';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Makes `NAME.pdf` in `folder` of every seed from `from` to `to`, those that are not there yet.
 * @returns {Promise<{ name: string, kind: string, pdf: string, rows: object[], names: string[] }[]>} the documents, with
 *   what `scoreRows` takes
 */
export async function makeLedgers(folder, from, to, progress) {
  mkdirSync(folder, { recursive: true });
  const documents = Array.from({ length: to - from + 1 }, (_, index) => ledger(from + index));
  const path = ({ name }) => join(folder, `${name}.pdf`);
  const missing = documents.filter((document) => !existsSync(path(document)));
  if (missing.length > 0) {
    progress(`printing ${missing.length} statements, invoices and registers`);
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? BROWSERS.find((file) => existsSync(file)),
      args: ['--no-sandbox', '--disable-gpu'],
    });
    const page = await browser.newPage();
    for (const document of missing) {
      await page.setContent(ledgerPage(document));
      writeFileSync(path(document), await page.pdf({ preferCSSPageSize: true, printBackground: true }));
    }
    await browser.close();
  }
  return documents.map((document) => ({
    name: document.name,
    kind: document.kind,
    pdf: path(document),
    ...truthOf(document),
  }));
}
