// Which addresses a webhook may reach: the public internet, and those the operator allows. Decided for the address
// actually connected to, so that a name resolving differently the second time gains nothing.

import { lookup as systemLookup } from 'node:dns';
import { lookup as resolveName } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { quoted } from '../../contract/index.ts';
import { ReaderError } from '../../index.ts';

/** IPv4 that is not global unicast: IANA IPv4 Special-Purpose Address Registry, and multicast. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Inside global unicast (2000::/3): Teredo and other protocol assignments, documentation, 6to4. IANA IPv6 registry. */
const SPECIAL_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** Addresses of metadata services that are public by number: Azure's wire server. */
const METADATA = '168.63.129.16';

export interface AddressRule {
  /** Whether a connection to `address` may be made for a URL with `host`. */
  allows(host: string, address: string): boolean;
}

/**
 * @param allowed names or CIDR ranges reachable besides the public internet, such as `hooks.internal`, `10.1.0.0/16`
 * @throws {ReaderError} BAD_INPUT for an invalid entry
 */
export function createAddressRule(allowed: readonly string[]): AddressRule {
  const names = new Set<string>();
  const ranges = new BlockList();
  for (const entry of allowed) addEntry(entry.trim().toLowerCase(), names, ranges);
  const blocked = new BlockList();
  for (const [network, prefix] of PRIVATE_V4) blocked.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of SPECIAL_V6) blocked.addSubnet(network, prefix, 'ipv6');
  blocked.addAddress(METADATA, 'ipv4');
  const global = new BlockList();
  global.addSubnet('2000::', 3, 'ipv6');
  return {
    allows: (host, address) => {
      const plain = unmapped(address);
      const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
      if (isIP(plain) === 0) return false;
      if (names.has(host.toLowerCase()) || ranges.check(plain, family)) return true;
      if (family === 'ipv6' && !global.check(plain, family)) return false;
      return !blocked.check(plain, family);
    },
  };
}

function addEntry(entry: string, names: Set<string>, ranges: BlockList): void {
  const [address = '', prefix] = entry.split('/', 2);
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const bits = family === 'ipv6' ? 128 : 32;
  if (isIP(address) === 0 && prefix === undefined && /^[a-z0-9.-]{1,253}$/.test(entry)) {
    names.add(entry);
    return;
  }
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (isIP(address) === 0 || !(length >= 0 && length <= bits))
    throw new ReaderError(
      'BAD_INPUT',
      `\`LECTERN_WEBHOOK_ALLOW\` has the entry ${quoted(entry)}; expected a host name or a CIDR range.`,
      'Write entries such as `hooks.internal` or `10.1.0.0/16`, separated by commas.',
    );
  ranges.addSubnet(address, length, family);
}

/** `::ffff:10.0.0.1` and its hexadecimal form as IPv4; without a zone. */
function unmapped(address: string): string {
  const plain = address.replace(/%.*/, '');
  if (isIP(plain) !== 6) return plain;
  const host = new URL(`http://[${plain}]/`).hostname.slice(1, -1); // the shortest hexadecimal form
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
  if (mapped === null) return host;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Resolves a name as the system does, and fails when any of its addresses is not allowed. */
export function guardedLookup(
  rule: AddressRule,
  resolve: typeof systemLookup = systemLookup,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      if (addresses.length === 0 || addresses.some(({ address }) => !rule.allows(host, address)))
        return callback(new AddressRefused(), []);
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

/** An address that a webhook may not reach. */
export class AddressRefused extends Error {
  constructor() {
    super('The address is private or reserved.');
  }
}

/**
 * The URL of a webhook. A name that cannot be resolved now may be later; each delivery checks again.
 * @throws {ReaderError} BAD_INPUT
 */
export async function checkWebhookUrl(
  text: string,
  rule: AddressRule,
  resolve: typeof resolveName = resolveName,
): Promise<URL> {
  const url = URL.canParse(text) && text.length <= MAX_URL ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw new ReaderError(
      'BAD_INPUT',
      `\`webhook.url\` is ${quoted(text)}; expected an http or https URL without credentials, at most ${MAX_URL} characters.`,
      'Set it to a URL such as `https://example.com/hooks/lectern`.',
    );
  const host = hostOf(url);
  const addresses =
    isIP(host) === 0 ? await resolve(host, { all: true }).catch(() => []) : [{ address: host }];
  if (addresses.some(({ address }) => !rule.allows(host, address))) throw refused(text);
  return url;
}

const MAX_URL = 2048;

/** Without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

function refused(text: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `\`webhook.url\` is ${quoted(text)}, which leads to a private or reserved address.`,
    'Use a public address, or ask the operator to allow this one in `LECTERN_WEBHOOK_ALLOW`.',
  );
}
