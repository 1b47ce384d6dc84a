// The controls of a request, and the request they make.

import { describe, expect, it } from 'vitest';
import { fieldsFor, requestOf } from '../../../src/service/playground/page/request.ts';
import { SAMPLES } from '../../../src/service/playground/page/samples.ts';

const namesFor = (...selects: string[]): string[] => fieldsFor(new Set(selects)).map(({ name }) => name);

describe('controls', () => {
  it('match the fields the format supports', () => {
    expect(namesFor('rows', 'columns')).toEqual([
      'maxTokens',
      'rows',
      'columns',
      'overflow',
      'format',
      'encoding',
      'all',
    ]);
    expect(namesFor('lines')).toContain('numbered');
    expect(namesFor('pages')).not.toContain('encoding');
    expect(namesFor('region')).toContain('detail');
    expect(namesFor()).toEqual(['maxTokens', 'overflow', 'all']);
  });
});

describe('request', () => {
  it('omits empty fields, and fields without a control', () => {
    const fields = fieldsFor(new Set(['rows']));
    expect(
      requestOf({ rows: ' 1-5 ', maxTokens: '800', all: 'true', pages: '2', format: '' }, fields),
    ).toEqual({
      maxTokens: 800,
      rows: '1-5',
      all: true,
    });
  });
});

describe('samples', () => {
  it('contain what their labels say', async () => {
    for (const { label, make } of SAMPLES) {
      const file = make();
      expect(file.name).toBe(label);
      expect(file.size).toBeGreaterThan(4000);
    }
    const [orders, readings, , conversation] = await Promise.all(SAMPLES.map(({ make }) => make().text()));
    expect(orders?.trim().split('\n').length).toBe(5001);
    expect(JSON.parse(readings ?? '').stations.length).toBe(4);
    expect(JSON.parse(conversation ?? '').length).toBe(51);
  });
});
