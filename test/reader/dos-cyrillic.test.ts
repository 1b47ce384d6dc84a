// Cyrillic of DOS is distinguished from code pages whose letters share its bytes.

import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

const reader = createReader({ cache: false });
const encodingOf = async (bytes: Uint8Array): Promise<string | undefined> => {
  const answer = await reader.read({ name: 'a.txt', bytes });
  return answer.success ? answer.metadata.encoding?.name : undefined;
};

const TEXTS = [
  'Привет, это обычный русский текст. Он написан в старой кодировке.\nВторая строка: цена 125 рублей.\n',
  'ЖУРНАЛ НАБЛЮДЕНИЙ\nУровень воды измеряют дважды в день.\n',
  'Имя;Город;Сумма\nИванов;Москва;100\nПетрова;Тверь;250\n',
  'Това е обикновен български текст, който трябва да се прочете правилно.\n',
];

it.each(TEXTS)('is read: %j', async (text) => {
  expect(await encodingOf(iconv.encode(text, 'cp866'))).toBe('cp866');
});

it.each(['windows-1251', 'koi8-r', 'iso-8859-5'])('is not seen in %s', async (name) => {
  for (const text of TEXTS) expect(await encodingOf(iconv.encode(text, name))).toBe(name);
});

it.each([
  ['French', 'Où étaient les élèves à la fête ? Là-bas, près de la forêt, après le dîner du père Noël.\n'],
  ['German', 'Die Größe der Tür über dem Fußboden ändert sich während der schönen Öffnungszeiten.\n'],
  ['currency', `${'£1.00 ¥2.00 £3.00 ¥4.00 '.repeat(20)}\n`],
  ['quotation marks', `${'\u201cone\u201d \u2018two\u2019 \u2013 three \u2014 '.repeat(20)}\n`],
])('is not seen in %s', async (_, text) => {
  expect(await encodingOf(iconv.encode(text, 'windows-1252'))).not.toBe('cp866');
});
