// A policy as a caller gives it, checked: known names, and for each what it may be.

import { checkOptions, quoted, ReaderError } from '../../contract/index.ts';
import type { Cut, Policy } from './policy.ts';

/** What a value may be. */
interface Kind {
  is(value: unknown): boolean;
  /** In words, after "expected". */
  readonly expected: string;
  /** The field may be missing. */
  readonly isOptional?: true;
}

type Fields = Readonly<Record<string, Kind>>;

const optional = (kind: Kind): Kind => ({ ...kind, isOptional: true });

const whole = (least: number): Kind => ({
  is: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= least,
  expected: `a whole number from ${least}`,
});

const share = (of: string, most: number): Kind => ({
  is: (value) => typeof value === 'number' && value >= 0 && value <= most,
  expected: `a fraction of ${of}, 0 to ${most}`,
});

const oneOf = (values: readonly string[]): Kind => ({
  is: (value) => values.some((one) => one === value),
  expected: values.map((one) => `\`${one}\``).join(', '),
});

const flag: Kind = { is: (value) => typeof value === 'boolean', expected: '`true` or `false`' };

const trigger: Kind = {
  is: (value) => share('the window', 1).is(value) || whole(1).is(value),
  expected: 'a fraction of the window, 0 to 1, or a whole number of tokens',
  isOptional: true,
};

const CUTS: readonly Cut[] = ['head', 'tail', 'both', 'ends'];
const LEAVES: readonly Policy['leaves'][] = ['oldest', 'unused', 'unimportant'];
const digest = share('`to` of the threshold', 1);
const bound: Fields = { at: whole(1), to: whole(0) };

/** Fields of those that are an object, or `false`. */
const OBJECTS = {
  offload: { over: whole(1), lines: whole(0), unlessFits: optional(flag) },
  truncate: { over: whole(1), keep: oneOf(CUTS), unlessFits: optional(flag) },
  mask: {
    at: trigger,
    keepFirst: whole(0),
    keepLast: whole(0),
    atLeast: optional(share('the window', 1)),
  },
  pointers: { at: trigger, preview: optional(whole(0)), results: optional(whole(0)) },
  drop: { at: trigger, digest },
  summarize: {
    at: trigger,
    digest,
    without: optional(oneOf(['digest', 'ends'])),
    keep: optional(whole(0)),
  },
  earlier: bound,
  messages: bound,
} satisfies Partial<Record<keyof Policy, Fields>>;

const VALUES = {
  accounts: flag,
  repeats: flag,
  leaves: oneOf(LEAVES),
  keepRecent: share('the window', 1),
  margin: share('the window', 0.5),
  reserve: optional(whole(0)),
} satisfies Partial<Record<keyof Policy, Kind>>;

/** A field that is in neither table does not compile. */
const FIELDS: Readonly<Record<keyof Policy, unknown>> = { ...OBJECTS, ...VALUES };

/** @throws {ReaderError} BAD_INPUT for an invalid value */
export function checkPolicy(policy: Policy): void {
  for (const [name, fields] of Object.entries(OBJECTS)) {
    const value: unknown = policy[name as keyof typeof OBJECTS]; // Keys of the table are names of a policy.
    if (value !== false) checkObject(`policy.${name}`, value, fields);
  }
  for (const [name, kind] of Object.entries(VALUES))
    check(`policy.${name}`, policy[name as keyof typeof VALUES], kind, `policy.${name}`); // As above.
  for (const name of ['earlier', 'messages'] as const) {
    const of = policy[name];
    if (of && of.to !== undefined && of.to >= of.at)
      throw new ReaderError(
        'BAD_INPUT',
        `\`policy.${name}.to\` is ${of.to} and \`at\` ${of.at}; expected less.`,
        'Give a `to` of about half of `at`.',
      );
  }
}

function checkObject(path: string, value: unknown, fields: Fields): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ReaderError(
      'BAD_INPUT',
      `\`${path}\` is ${quoted(String(value))}; expected an object with ${namesOf(fields)}, or \`false\`.`,
      leaveOut(path),
    );
  checkOptions(path, value, fields);
  for (const [name, kind] of Object.entries(fields)) {
    const field: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    if (field === undefined && !kind.isOptional)
      throw new ReaderError(
        'BAD_INPUT',
        `\`${path}\` has no \`${name}\`; expected ${kind.expected}.`,
        `Add \`${name}\`, or leave \`${path}\` out for the preset's own.`,
      );
    check(`${path}.${name}`, field, kind, path);
  }
}

function check(path: string, value: unknown, { is, expected, isOptional }: Kind, out: string): void {
  if (is(value) || (value === undefined && isOptional)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`${path}\` is ${quoted(String(value))}; expected ${expected}.`,
    leaveOut(out),
  );
}

const leaveOut = (path: string): string => `Leave \`${path}\` out for the preset's own.`;

const namesOf = (fields: Fields): string =>
  Object.entries(fields)
    .filter(([, { isOptional }]) => !isOptional)
    .map(([name]) => `\`${name}\``)
    .join(' and ') || 'its fields';

/** @throws {ReaderError} BAD_INPUT for an array or an unknown name; `what` names the options */
export function checkPolicyNames(what: string, policy: Partial<Policy> | undefined): void {
  if (Array.isArray(policy))
    throw new ReaderError(
      'BAD_INPUT',
      `\`${what}\` is an array; expected an object.`,
      "Leave it out for the preset's own.",
    );
  checkOptions(what, policy, FIELDS);
}
