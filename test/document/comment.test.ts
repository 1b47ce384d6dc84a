import { describe, expect, it } from 'vitest';
import { bylineOf, CommentedWords, commentBlock, markdownOf } from '../../src/document/index.ts';

describe('a comment', () => {
  it('begins with what is known of it', () => {
    const written = (by: Parameters<typeof commentBlock>[1]): string =>
      markdownOf(commentBlock('c1', by, ['Which one?']));
    expect(written({})).toBe('[^c1]: Which one?\n');
    expect(written({ author: ' Ines\n Duarte ', date: '2024-03-02T10:00:00Z' })).toBe(
      '[^c1]: Ines Duarte (2024-03-02): Which one?\n',
    );
    expect(written({ date: 'yesterday', on: 'a *wall*' })).toBe(
      '[^c1]: Comment on "a \\*wall\\*": Which one?\n',
    );
    expect(written({ author: 'Omar', isReply: true })).toBe('[^c1]: Reply by Omar: Which one?\n');
    expect(bylineOf(commentBlock('c1', { author: 'x'.repeat(999) }, []))).toHaveLength(202);
  });
});

describe('the words a comment stands on', () => {
  it('are those between the start and the end of its range, on one line', () => {
    const words = new CommentedWords();
    words.add('before ');
    words.begin('1');
    words.add('the  old\n');
    words.begin('2');
    words.add('harbour');
    words.end('1');
    words.add(' wall');
    words.end('2');
    words.add(' after');
    expect([words.of('1'), words.of('2'), words.of('3')]).toEqual([
      'the old harbour',
      'harbour wall',
      undefined,
    ]);
  });

  it('are cut where there are many, and where a range has no end', () => {
    const words = new CommentedWords();
    words.begin('1');
    for (let i = 0; i < 1000; i += 1) words.add('lock ');
    expect(words.of('1')).toBe(`${'lock '.repeat(20).trim()}…`);
    words.begin('2');
    words.add('gate');
    expect(words.of('2')).toBe('gate');
  });

  it('cost no more than their number for many open ranges', () => {
    const words = new CommentedWords();
    for (let i = 0; i < 100_000; i += 1) {
      words.begin(`${i}`);
      words.add('');
    }
    expect(words.of('99999')).toBeUndefined();
  });
});
