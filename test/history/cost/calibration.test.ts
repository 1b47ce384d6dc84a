import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Calibration } from '../../../src/history/cost/calibration.ts';

/** A calibration after steps of `growth` estimated tokens that were `ratio` times as many. */
function learned(ratio: number, steps: number, growth = 5000): Calibration {
  const calibration = new Calibration();
  for (let step = 1; step <= steps; step += 1) {
    calibration.observe(3000 + step * growth * ratio, step * growth);
  }
  return calibration;
}

describe('Calibration', () => {
  it('equals the estimate before any observation', () => {
    expect(new Calibration().tokens(1234)).toBe(1234);
    expect(new Calibration().factor).toBe(1);
  });

  it('starts from the last count and adds later estimates', () => {
    const calibration = new Calibration();
    calibration.observe(50_000, 40_000);
    expect(calibration.tokens(40_000)).toBe(50_000);
    expect(calibration.tokens(41_000)).toBe(51_000);
    expect(calibration.tokens(30_000)).toBe(40_000);
  });

  it.each([0.6, 1.3, 1.9])('learns that real tokens are %d times the estimate', (ratio) => {
    expect(learned(ratio, 40).factor).toBeCloseTo(ratio, 2);
  });

  it('moves at most a fifth of the way to twice the factor per report', () => {
    const calibration = new Calibration();
    calibration.observe(10_000, 10_000);
    calibration.observe(90_000, 20_000);
    expect(calibration.factor).toBeCloseTo(1.2, 10);
    calibration.observe(90_001, 40_000);
    expect(calibration.factor).toBeCloseTo(1.2 * 0.9, 10);
  });

  it('learns less of a small addition, and nothing of a tiny one or of a prompt that shrank', () => {
    const calibration = new Calibration();
    calibration.observe(10_000, 10_000);
    calibration.observe(10_150, 10_099);
    expect(calibration.factor).toBe(1);
    calibration.observe(11_150, 10_599);
    expect(calibration.factor).toBeCloseTo(1.05, 10);
    calibration.observe(9000, 14_000);
    expect(calibration.factor).toBeCloseTo(1.05, 10);
    calibration.observe(5000, 4000);
    expect(calibration.factor).toBeCloseTo(1.05, 10);
    expect(calibration.tokens(4000)).toBe(5000);
  });

  it('never goes below a share of the estimate, even for a much smaller prompt', () => {
    const calibration = new Calibration();
    calibration.observe(100_000, 400_000);
    expect(calibration.tokens(300_000)).toBe(120_000);
  });

  it.each([
    [0, 100],
    [100, 0],
    [Number.NaN, 100],
    [100, Number.NaN],
    [-5, 100],
    [Number.POSITIVE_INFINITY, 100],
    [1e15, 1e15],
    [100, 1_000_000],
    [1_000_000, 100],
  ])('ignores a report of %d tokens for an estimate of %d', (real, raw) => {
    const calibration = learned(1.3, 10);
    const before = calibration.toJSON();
    calibration.observe(real, raw);
    expect(calibration.toJSON()).toEqual(before);
  });

  it('survives a JSON round trip', () => {
    const calibration = learned(1.4, 7);
    const back = new Calibration(JSON.parse(JSON.stringify(calibration)));
    expect(back.toJSON()).toEqual(calibration.toJSON());
    expect(back.tokens(123_456)).toBe(calibration.tokens(123_456));
  });

  it('returns the slope of one estimated token, even if the anchor is far off', () => {
    const calibration = new Calibration();
    expect(calibration.slope(1000)).toBe(1);
    calibration.observe(5000, 10_000);
    for (const raw of [9000, 8400, 8300, 2000]) {
      const made = calibration.tokens(raw) - calibration.tokens(raw - 10);
      expect(Math.abs(made - 10 * calibration.slope(raw))).toBeLessThanOrEqual(1);
    }
    expect(calibration.slope(8300)).toBe(0.4);
  });

  it('stays finite, within its limits and monotonic in the estimate, for any observations', () => {
    const figure = fc.oneof(
      fc.double(),
      fc.integer({ min: 0, max: 2_000_000 }),
      fc.constantFrom(0, -1, Number.NaN, 1e300),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(figure, figure), { maxLength: 30 }), figure, figure, (reports, a, b) => {
        const calibration = new Calibration();
        for (const [real, raw] of reports) calibration.observe(real, raw);
        expect(calibration.factor).toBeGreaterThanOrEqual(0.25);
        expect(calibration.factor).toBeLessThanOrEqual(4);
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(Number.isFinite(calibration.tokens(a))).toBe(true);
        if (low > 0 && high >= low)
          expect(calibration.tokens(high)).toBeGreaterThanOrEqual(calibration.tokens(low));
        const back = new Calibration(JSON.parse(JSON.stringify(calibration)));
        expect(back.toJSON()).toEqual(calibration.toJSON());
      }),
    );
  });
});
