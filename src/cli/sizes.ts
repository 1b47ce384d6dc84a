// Numbers as people type them: `5k`, `2M`, `10MiB`; and sizes as people read them.

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** Parses digits with an optional suffix k, M, G (powers of 1000) or Ki, Mi, Gi (powers of 1024); null if invalid. */
export function sizeOf(text: string): number | null {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?)\s?([kmg]i?)?b?$/i.exec(text) ?? [];
  const size = Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  return digits !== '' && Number.isSafeInteger(size) ? size : null;
}

/** `772 KiB`, `1.5 MiB`, `2.0 GiB`; below 1 KiB in bytes. */
export function sizeText(bytes: number): string {
  if (bytes < 2 ** 10) return `${bytes} bytes`;
  if (bytes < 2 ** 20) return `${Math.ceil(bytes / 2 ** 10)} KiB`;
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
