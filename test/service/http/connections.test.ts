import { expect, it } from 'vitest';
import { affordableConnections } from '../../../src/service/http/connections.ts';

it.each([
  [160, 48],
  [1024, 480],
  [64, 8],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('an open-file limit of %s leaves room for %s connections', (limit, connections) => {
  expect(affordableConnections(limit)).toBe(connections);
});

it('reads the limit of this process', () => {
  expect(affordableConnections()).toBeGreaterThanOrEqual(8);
});
