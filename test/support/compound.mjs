// Writes small compound files ([MS-CFB]) and Outlook messages for tests and fixtures.

const SECTOR = 512;
const MINI = 64;
const END = 0xfffffffe;
const FREE = 0xffffffff;

/** A file of folders and streams: `{ name, children }` or `{ name, data }`. */
export function compoundOf(children) {
  const entries = [{ name: 'Root Entry', type: 5, child: FREE }];
  const add = (nodes) => {
    let first = FREE;
    let before;
    for (const { name, data, children: inner } of nodes) {
      const index = entries.length;
      const entry = { name, type: data ? 2 : 1, data, child: FREE, right: FREE };
      entries.push(entry);
      if (first === FREE) first = index;
      if (before) before.right = index;
      before = entry;
      if (inner) entry.child = add(inner);
    }
    return first;
  };
  entries[0].child = add(children);
  const minis = [];
  const miniFat = [];
  const sectors = [];
  const fat = [];
  const store = (bytes) => {
    const start = sectors.length;
    const count = Math.max(1, Math.ceil(bytes.length / SECTOR));
    for (let i = 0; i < count; i++) {
      const sector = Buffer.alloc(SECTOR);
      bytes.copy(sector, 0, i * SECTOR, Math.min(bytes.length, (i + 1) * SECTOR));
      sectors.push(sector);
      fat.push(i + 1 < count ? start + i + 1 : END);
    }
    return start;
  };
  for (const entry of entries) {
    if (!entry.data) continue;
    entry.size = entry.data.length;
    if (entry.size >= 4096) entry.start = store(entry.data);
    else {
      entry.start = entry.size === 0 ? END : minis.length;
      for (let at = 0; at < entry.size; at += MINI) {
        const piece = Buffer.alloc(MINI);
        entry.data.copy(piece, 0, at, Math.min(entry.size, at + MINI));
        minis.push(piece);
        miniFat.push(at + MINI < entry.size ? minis.length : END);
      }
    }
  }
  const mini = Buffer.concat(minis);
  entries[0].start = mini.length > 0 ? store(mini) : END;
  entries[0].size = mini.length;
  const miniFatStart = store(words(miniFat));
  const directoryStart = store(Buffer.concat(entries.map(directoryEntry)));
  // The table counts its own sectors.
  let fatSectors = 1;
  while (fatSectors * 128 < sectors.length + fatSectors) fatSectors++;
  const fatStart = sectors.length;
  for (let i = 0; i < fatSectors; i++) fat.push(0xfffffffd);
  const table = words(fat, fatSectors * 128);
  const header = Buffer.alloc(SECTOR);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(fatSectors, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(miniFatStart, 60);
  header.writeUInt32LE(1, 64);
  header.writeUInt32LE(END, 68);
  for (let i = 0; i < 109; i++) header.writeUInt32LE(i < fatSectors ? fatStart + i : FREE, 76 + i * 4);
  return Buffer.concat([header, ...sectors, table]);
}

function words(values, length = Math.max(128, Math.ceil(values.length / 128) * 128)) {
  const bytes = Buffer.alloc(length * 4, 0xff);
  values.forEach((value, i) => {
    bytes.writeUInt32LE(value, i * 4);
  });
  return bytes;
}

function directoryEntry({ name, type, child = FREE, right = FREE, start = 0, size = 0 }) {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 'utf16le');
  bytes.writeUInt16LE(name.length * 2 + 2, 64);
  bytes[66] = type;
  bytes[67] = 1;
  bytes.writeUInt32LE(FREE, 68);
  bytes.writeUInt32LE(right, 72);
  bytes.writeUInt32LE(child, 76);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(size, 120);
  return bytes;
}

const hex = (id, type) =>
  `__substg1.0_${id.toString(16).padStart(4, '0')}${type.toString(16).padStart(4, '0')}`
    .toUpperCase()
    .replace('__SUBSTG', '__substg');

/** The streams of one object: text in `text`, bytes in `binary`, 32-bit numbers in `numbers`, times in `times`. */
function objectOf({ text = {}, binary = {}, numbers = {}, times = {} }, skipped) {
  const fixed = [];
  for (const [id, value] of Object.entries(numbers)) fixed.push(property(Number(id), 3, BigInt(value)));
  for (const [id, value] of Object.entries(times))
    fixed.push(property(Number(id), 0x40, BigInt(Date.parse(value) + 11_644_473_600_000) * 10_000n));
  return [
    { name: '__properties_version1.0', data: Buffer.concat([Buffer.alloc(skipped), ...fixed]) },
    ...Object.entries(text).map(([id, value]) => ({
      name: hex(Number(id), 0x1f),
      data: Buffer.from(value, 'utf16le'),
    })),
    ...Object.entries(binary).map(([id, value]) => ({
      name: hex(Number(id), 0x102),
      data: Buffer.from(value),
    })),
  ];
}

function property(id, type, value) {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(type, 0);
  bytes.writeUInt16LE(id, 2);
  bytes.writeBigUInt64LE(value, 8);
  return bytes;
}

function messageTree({ recipients = [], attachments = [], ...own }, skipped) {
  return [
    ...objectOf(own, skipped),
    ...recipients.map((one, i) => ({
      name: `__recip_version1.0_#${String(i).padStart(8, '0')}`,
      children: objectOf(one, 8),
    })),
    ...attachments.map(({ message, ...one }, i) => ({
      name: `__attach_version1.0_#${String(i).padStart(8, '0')}`,
      children: [
        ...objectOf(one, 8),
        ...(message ? [{ name: '__substg1.0_3701000D', children: messageTree(message, 24) }] : []),
      ],
    })),
  ];
}

/** An Outlook message; `attachments[].message` is a message inside. */
export function outlookMessage(message) {
  return compoundOf(messageTree(message, 32));
}
