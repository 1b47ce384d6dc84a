// Writes fixtures/text: small files in the encodings and shapes that text comes in. Run by hand:
// `node test/support/make-text-fixtures.mjs`. Deterministic.
import { mkdirSync, writeFileSync } from 'node:fs';
import iconv from 'iconv-lite';

const folder = new URL('../../fixtures/text/', import.meta.url);
mkdirSync(folder, { recursive: true });
const write = (name, content) => writeFileSync(new URL(name, folder), content);

const sentences = [
  'The lamp on the lectern was lit before the reader came.',
  'Nobody had counted the pages, and nobody needed to.',
  'What was left out stood in the margin, in small hand.',
  'Überall lag Papier; façade, naïve, coöperate.',
];
const prose = (count) =>
  Array.from({ length: count }, (_, i) => `${i + 1}. ${sentences[i % sentences.length]}`);

write('short.txt', `${prose(12).join('\n')}\n`);
write(
  'many-lines.log',
  prose(500)
    .map((line, i) => `2026-01-01T00:${String(i % 60).padStart(2, '0')}:00Z INFO ${line}\n`)
    .join(''),
);
write('crlf-no-final-newline.txt', prose(20).join('\r\n'));
write('cr-only.txt', `${prose(20).join('\r')}\r`);
write(
  'one-long-line.txt',
  `before\n${Array.from({ length: 1500 }, (_, i) => `word${i}`).join(' ')}\nafter\n`,
);
write(
  'utf-16le-bom.txt',
  Buffer.concat([Buffer.from([0xff, 0xfe]), iconv.encode(`${prose(8).join('\n')}\n`, 'utf-16le')]),
);
write('windows-1252.txt', iconv.encode(`${prose(40).join('\n')}\n“quoted” – dashes\n`, 'windows-1252'));
write(
  'shift-jis.txt',
  iconv.encode('これは読み取りの試験です。\n文字コードは自動で判定されます。\n'.repeat(12), 'shift_jis'),
);
write('special-tokens.txt', 'before <|endoftext|> between <|im_start|>system after $& $1 $$\n');
write(
  'sample.py',
  `"""A module."""\n\n\nclass Reader:\n    def read(self, path):\n        return open(path).read()\n\n\ndef main():\n    print(Reader().read("a.txt"))\n`,
);
write('Makefile', 'all: build test\n\nbuild:\n\tnpm run build\n\ntest:\n\tnpm test\n');
write(
  'guide.md',
  `# Guide\n\n${Array.from({ length: 60 }, (_, i) => `## Section ${i + 1}\n\n${sentences.join(' ')}\n\n- one\n- two\n\n\`\`\`\n# not a heading\n\`\`\`\n`).join('\n')}`,
);
write('empty.txt', '');
write('blank.txt', ' \n\n\t\n');
