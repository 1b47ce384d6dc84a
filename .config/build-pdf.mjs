// Packs what reads PDF files as modules: text that every bundler takes along. The worker's program, with pdf.js in it, and
// the files that pdf.js asks for. Source: pdfjs-dist, which installs 74 MB with its canvas, of which this is 4.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { rolldown } from 'rolldown';
import { actualText, replaceOnce } from './actual-text.mjs';
import { ascii } from './ascii.mjs';

const PDFJS = new URL('../node_modules/pdfjs-dist/', import.meta.url);
const INTO = new URL('../processors/documents/pdf/packed/', import.meta.url);

const packed = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 },
  }).toString('base64');

/** The terms under which the packed files are passed on, which must go with them. */
function write(name, folders, code) {
  const terms = folders.flatMap((folder) =>
    readdirSync(new URL(folder, PDFJS))
      .filter((file) => file.startsWith('LICENSE'))
      .map(
        (file) => `${folder}${file}\n\n${readFileSync(new URL(`${folder}${file}`, PDFJS), 'utf8').trim()}`,
      ),
  );
  const head = `/*!\nMade by .config/build-pdf.mjs of files of pdfjs-dist, changed to pass on actual text, under these terms:\n\n${terms.join('\n\n').replaceAll('*/', '')}\n*/\n`;
  writeFileSync(new URL(`${name}.generated.ts`, INTO), head + code);
}

mkdirSync(INTO, { recursive: true });
for (const [folder, ending] of [
  ['cmaps', '.bcmap'],
  ['wasm', '.wasm'],
]) {
  const files = readdirSync(new URL(`${folder}/`, PDFJS)).filter(
    (file) => file.endsWith(ending) && !file.startsWith('LICENSE'),
  );
  const lines = files.map(
    (file) => `  '${file}': '${packed(readFileSync(new URL(`${folder}/${file}`, PDFJS)))}',`,
  );
  write(
    folder,
    [`${folder}/`],
    `export const FILES: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n};\n`,
  );
}

/**
 * Tables that pdf.js fills up to a number of the file: widths by CID, which are at most 65535 (ISO 32000-2, annex C), and
 * the characters of a code range, of which Unicode has no more.
 */
const BOUNDS = [
  ['for(let e=t;e<=n;e++)s[e]=r', 'for(let e=t;e<=Math.min(n,65535);e++)s[e]=r'],
  ['for(let e=t;e<=s;e++)i[e]=r', 'for(let e=t;e<=Math.min(s,65535);e++)i[e]=r'],
  ['2**24-1', '0x10ffff'],
];

/** @throws {Error} if pdf.js has another form, in which these places must be found again */
function bounded(code, id) {
  if (!id.endsWith('/pdf.worker.min.mjs')) return undefined;
  return BOUNDS.reduce((result, [found, bound]) => replaceOnce(result, found, bound), code);
}

/**
 * What pdf.js does beside what is asked for. For each page with a link or a mark it reads all of its text, to give the
 * text below the annotation, which nobody uses. And it decodes pictures of which only the places are wanted: without the
 * pixels, it goes on as with a picture that cannot be decoded.
 */
const UNASKED = [
  [/get overlaysTextContent\(\)\{return!0\}/g, 'get overlaysTextContent(){return!1}'],
  [
    /\.then\(async e=>\{(?=\w+=await e\.createImageData\(!1,)/g,
    '.then(async e=>{if(globalThis.forLayout)throw new Error("not decoded for layout");',
  ],
];

/**
 * Functions that make an embedded font one to draw with: how each starts, and what it gives for layout, which needs the
 * names, widths and characters of a font, and none of its outlines.
 */
const FONTS_TO_DRAW = [
  ['function createCmapTable(e,t,n){', '""'],
  ['function createNameTable(e,t){', '""'],
  ['function createOS2Table(e,t,n){', '""'],
  ['function createPostTable(e){', '""'],
  ['function fontFieldsHmtx(){', '""'],
  ['toArray(){', 'new Uint8Array', 'let e=this.sfnt;'],
  [
    'function adjustMapping(e,t,n,a){',
    '{toFontChar:[],charCodeToGlyphId:{},toUnicodeExtraMap:new Map,nextAvailableFontCharCode:0}',
  ],
  ['buildFontPaths(e,t,n,a){', 'void 0'],
  // TrueType
  ['function sanitizeGlyphLocations(e,t,n,a,s,r,i){', '{missingGlyphs:{},maxSizeOfInstructions:0}'],
  ['function sanitizeTTPrograms(e,t,n,a){', '!0'],
  ['function readPostScriptTable(e,n,a){', '!0'],
  ['function readCmapTable(e,t,n,a){', '{platformId:-1,encodingId:-1,mappings:[],hasShortCmap:!1}'],
  // CFF and Type 1
  ['compile(){', '[]', 'const e=this.cff,'],
  [
    'parseCharStrings({charStrings:e,localSubrIndex:t,globalSubrIndex:n,fdSelect:a,fdArray:s,privateDict:r}){',
    '{charStrings:e,seacs:[],widths:[]}',
  ],
  ['getGlyphMapping(){', '{}', 'const e=this.cff,'],
  ['getGlyphMapping(e){', '{}', 'const t=this.charstrings;'],
].map(([start, result, then = '']) => [
  start + then,
  `${start}if(globalThis.forLayout)return ${result};${then}`,
]);
/** The same, where it is not a function of its own: the glyphs of composite TrueType fonts, and of Type 1. */
const GLYPHS = [
  ['n.cMap.forEach(function(n,a){"string"==typeof a', 'globalThis.forLayout||'],
  [
    'new Type1Parser(l.stream,!0,',
    'globalThis.forLayout?{charstrings:[],subrs:[],properties:{privateData:{}}}:',
  ],
].map(([start, before]) => [start, before + start]);

/** @throws {Error} if pdf.js has another form, in which these places must be found again */
function asked(code, id) {
  if (!id.endsWith('/pdf.worker.min.mjs')) return undefined;
  const text = UNASKED.reduce((result, [found, other]) => {
    if (!result.match(found)) throw new Error(`pdf.js does not have \`${found}\`.`);
    return result.replaceAll(found, other);
  }, code);
  return [...FONTS_TO_DRAW, ...GLYPHS].reduce(
    (result, [found, other]) => replaceOnce(result, found, other),
    text,
  );
}

const bundle = await rolldown({
  input: fileURLToPath(new URL('../processors/documents/pdf/worker.ts', import.meta.url)),
  platform: 'node',
  external: ['sharp'],
  plugins: [{ name: 'bounds', transform: bounded }, { name: 'asked', transform: asked }, actualText],
});
const { output } = await bundle.generate({
  // A worker that is started from text is a CommonJS script.
  format: 'cjs',
  codeSplitting: false,
  dynamicImportInCjs: false,
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

// A script that is text has no place to find packages from: that of the host's module, or the folder it runs in.
const program = `(require => {${output[0].code}})((() => {
  const { createRequire } = require('node:module');
  const { workerData } = require('node:worker_threads');
  const from = [workerData.home, process.cwd() + '/'].filter(Boolean).map(place => createRequire(place));
  return name => {
    try {
      return from[0](name);
    } catch (error) {
      if (from[1] === undefined) throw error;
      return from[1](name);
    }
  };
})());
`;
const text = ascii(program);
write('worker', [''], `export const PROGRAM: string =\n  '${packed(Buffer.from(text))}';\n`);
const hash = createHash('sha256').update(text).digest('hex');
writeFileSync(new URL('worker-hash.generated.ts', INTO), `export const PROGRAM_HASH: string = '${hash}';\n`);
