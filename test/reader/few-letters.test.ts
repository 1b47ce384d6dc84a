// Short tables in legacy encodings: the few letters beyond ASCII tell the encoding, or the answer says that it is a guess.

import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { textOf } from '../../src/tools/index.ts';
import { contentOf } from '../support/walk.ts';
import { zipOf } from '../support/zip.ts';
import { makePlace } from '../tools/place.ts';

const reader = createReader({ environment: {}, cache: false });

const TEXTS: readonly (readonly [encoding: string, text: string])[] = [
  ['windows-1250', 'Imię;Miasto\nŁukasz;Łódź\nŚwiętosław;Kraków\n'],
  ['windows-1250', 'nazwa;cena\nżółty ser;12\nmąka;3\n'],
  ['windows-1250', 'Jméno;Město\nJiří Dvořák;Plzeň\nVěra Nováková;České Budějovice\n'],
  ['windows-1250', 'id;název\n1;kůň\n2;řeka\n'],
  ['windows-1250', 'Név;Város\nErdős Pál;Győr\nSzűcs Ágnes;Hódmezővásárhely\n'],
  ['windows-1250', 'Nume;Oraş\nŞtefan;Bucureşti\nIonuţ;Constanţa\n'],
  ['windows-1250', 'Ime;Grad\nĐorđe Kovačević;Šibenik\nŽeljko;Požega\n'],
  ['windows-1252', 'Prénom;Ville\nHélène;Orléans\nFrançois;Besançon\n'],
  ['windows-1252', 'Name;Stadt\nJürgen;Köln\nGünther Groß;Düsseldorf\n'],
  ['windows-1252', 'Nombre;Ciudad\nJosé Muñoz;Málaga\nÁngel;León\n'],
  ['windows-1252', 'Nome;Cidade\nJoão;São Paulo\nConceição;Brasília\n'],
  ['windows-1252', 'Navn;By\nSøren;Århus\nKære;Ærø\n'],
  ['windows-1252', 'Nafn;Staður\nÞórður;Reykjavík\nGuðrún;Akureyri\n'],
  ['windows-1254', 'İsim;Şehir\nAyşe Yıldız;İstanbul\nÇağrı;Eskişehir\n'],
  ['windows-1257', 'Vardas;Miestas\nŽydrūnas;Šiauliai\nEglė;Panevėžys\n'],
  ['windows-1257', 'Vārds;Pilsēta\nJānis;Rīga\nĢirts;Jūrmala\n'],
  ['iso-8859-2', 'Meno;Mesto\nĽubomír;Košice\nŠtefánia;Žilina\n'],
  ['koi8-r', 'Имя;Город\nИван;Москва\nМария;Казань\n'],
  ['big5', '訂單號,客戶,城市,金額\n1,張偉,台北市,7\n2,李娜,高雄市,9\n'],
  ['big5', '姓名,電話\n王小明,02-1234\n陳美玲,03-5555\n'],
  ['gb18030', '订单号,客户,城市\n1,张伟,北京市\n2,李娜,上海市\n'],
  ['gb18030', '姓名,电话\n王小明,1\n'],
  ['shift_jis', '氏名,住所\n山田太郎,東京都\n鈴木花子,大阪府\n'],
  ['euc-kr', '이름,도시\n김철수,서울\n박영희,부산\n'],
  ['cp850', 'São João e Conceição\n'],
  ['cp852', 'Žluťoučký kůň příliš\n'],
  ['cp437', 'Größe und Übersicht für Jürgen\n'],
  ['macintosh', 'Größe und Übersicht für Jürgen\n'],
  ['windows-1251', 'PERFORMER "Кино"\nTITLE "Группа крови"\nFILE "a.wav" WAVE\n'],
];

describe('few letters beyond ASCII', () => {
  it.each(TEXTS)('are read as %s: %j', async (encoding, text) => {
    const answer = await reader.read({ name: 'a.txt', bytes: iconv.encode(text, encoding) }, { all: true });
    expect(answer.success && contentOf([answer])).toBe(text);
  });

  it('that two encodings share are called a guess, with the others', async () => {
    const bytes = iconv.encode('氏名,住所\n山田太郎,東京都\n鈴木花子,大阪府\n', 'euc-jp');
    const answer = await reader.read({ name: 'a.txt', bytes });
    expect(answer.success && answer.warnings.map(({ message }) => message).join()).toMatch(
      /is a guess: .*perhaps .*euc-jp/,
    );
  });
});

describe('the search', () => {
  it('finds and shows the lines that a read shows', async () => {
    const texts = { 'a.txt': 'Dossier comprimé\nété à Besançon\n', 'b.txt': 'Žluťoučký kůň\nříčka\n' };
    const place = await makePlace({
      'a.txt': iconv.encode(texts['a.txt'], 'latin1'),
      'b.txt': iconv.encode(texts['b.txt'], 'windows-1250'),
      'c.txt': iconv.encode('tamaño\nniño\n', 'utf-16le'),
    });
    try {
      for (const [query, line] of [
        ['comprim', 'a.txt:1: Dossier comprimé'],
        ['été', 'a.txt:2: été à Besançon'],
        ['říčka', 'b.txt:2: říčka'],
        ['niño', 'c.txt:2: niño'],
      ] as const)
        expect(textOf(await place.run('search_files', { query }))).toContain(line);
    } finally {
      await place.remove();
    }
  });
});

describe('names in a zip archive that declares no encoding', () => {
  it.each([
    ['shift_jis', '新しいフォルダ/ソース.txt'],
    ['gbk', '文档/中文说明.txt'],
    ['big5', '文件/說明書.txt'],
    ['euc-kr', '문서/설명서 파일.txt'],
    ['cp866', 'Документы/Отчёт за год.txt'],
    ['cp866', 'Отчет.txt'],
    ['windows-1251', 'Отчет.txt'],
    ['koi8-r', 'Документы/Отчёт за год.txt'],
    ['cp437', 'Größe1.txt'],
    ['cp850', 'São João/Conceição.txt'],
    ['cp850', 'Smørbrød på bordet.txt'],
    ['cp852', 'Žluťoučký kůň.txt'],
    ['windows-1250', 'Zażółć gęślą jaźń.txt'],
    ['windows-1252', 'Übersicht – Größe.txt'],
    ['windows-1254', 'Ayşe Yıldız.txt'],
    ['cp737', 'Ελληνικά κείμενα.txt'],
  ])('are read as %s', async (encoding, name) => {
    // One byte per character at first: the names are replaced in place.
    const raw = iconv.encode(name, encoding);
    const zip = zipOf([{ name: 'x'.repeat(raw.length), data: 'inside' }]);
    for (let at = zip.indexOf('xxx'); at >= 0; at = zip.indexOf('xxx', at + raw.length)) raw.copy(zip, at);
    // Neither header says that the name is UTF-8.
    zip.writeUInt16LE(0, 6);
    zip.writeUInt16LE(0, zip.indexOf('PK\u0001\u0002') + 8);
    const listed = await reader.read({ name: 'a.zip', bytes: zip });
    expect(listed.success && listed.text).toContain(name);
    expect(listed.success && listed.warnings.map(({ code }) => code)).toContain('ENCODING_GUESSED');
    const place = await makePlace({ 'a.zip': zip });
    try {
      expect(textOf(await place.run('read_file', { path: `a.zip!/${name}` }))).toBe('inside');
    } finally {
      await place.remove();
    }
  });
});
