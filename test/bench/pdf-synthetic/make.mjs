// Prints the synthetic documents as PDF with Chromium and LibreOffice.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents, markdownOf } from './documents.mjs';
import { officeText } from './office.mjs';
import { webPage } from './web.mjs';

/**
 * Makes `NAME.pdf` and `NAME.md` in `folder`, those that are not there yet.
 * @param {string} folder
 * @param {(message: string) => void} progress
 * @param {readonly ('web' | 'office')[]} makers
 * @returns {Promise<{ name: string, pdf: string, truth: string }[]>} the documents that could be made
 */
export async function makeDocuments(folder, progress, makers = ['web', 'office']) {
  mkdirSync(folder, { recursive: true });
  const made = [];
  for (const document of documents().filter(({ maker }) => makers.includes(maker))) {
    const path = (ending) => join(folder, `${document.name}.${ending}`);
    const truth = markdownOf(document);
    writeFileSync(path('md'), truth);
    if (!existsSync(path('pdf'))) {
      progress(`printing ${document.name}`);
      if (document.maker === 'web') {
        writeFileSync(path('html'), webPage(document));
        const flags = [
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--no-pdf-header-footer',
          `--user-data-dir=${join(folder, 'profile')}`,
        ];
        await ran(
          ['chromium', 'chromium-browser', 'google-chrome'],
          [...flags, `--print-to-pdf=${path('pdf')}`, path('html')],
        );
      } else {
        writeFileSync(path('fodt'), officeText(document));
        const flags = [
          `-env:UserInstallation=file://${join(folder, 'office')}`,
          '--headless',
          '--convert-to',
          'pdf',
          '--outdir',
          folder,
        ];
        await ran(['soffice', 'libreoffice'], [...flags, path('fodt')]);
      }
    }
    if (existsSync(path('pdf'))) made.push({ name: document.name, pdf: path('pdf'), truth });
    else
      progress(
        `${document.name} could not be printed: is ${document.maker === 'web' ? 'Chromium' : 'LibreOffice'} installed?`,
      );
  }
  return made;
}

/** Runs the first of the programs that is there. */
async function ran(programs, words) {
  for (const program of programs) {
    const missing = await new Promise((resolve) => {
      execFile(program, words, { timeout: 120_000 }, (error) => resolve(error?.code === 'ENOENT'));
    });
    if (!missing) return;
  }
}
