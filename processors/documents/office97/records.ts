// Records of drawings ([MS-ODRAW] 2.2.1) and presentations ([MS-PPT] 2.3.1), which share one header: a list of records,
// each with content or more records. A record that states more is cut at the end of its parent.

import { beforeNul, u16, u32, utf16 } from './bytes.ts';

/** One record; its content is from `from` to `to` in the same bytes. */
export interface ArtRecord {
  readonly type: number;
  readonly instance: number;
  readonly version: number;
  readonly from: number;
  readonly to: number;
}

const HEADER = 8;
const MAX_DESCRIPTION = 2000;

/** The records between two offsets, in order. */
export function* recordsIn(
  bytes: Buffer,
  from: number = 0,
  to: number = bytes.length,
): Generator<ArtRecord, void, undefined> {
  const end = Math.min(to, bytes.length);
  for (let at = from; at >= 0 && at + HEADER <= end; ) {
    const head = u16(bytes, at);
    const start = at + HEADER;
    const next = Math.min(end, start + u32(bytes, at + 4));
    yield { type: u16(bytes, at + 2), instance: head >> 4, version: head & 15, from: start, to: next };
    at = next;
  }
}

/** The first record of that type inside a container. */
export function childOf(bytes: Buffer, parent: ArtRecord, type: number): ArtRecord | undefined {
  for (const record of recordsIn(bytes, parent.from, parent.to)) if (record.type === type) return record;
  return undefined;
}

/** Types of records in a drawing ([MS-ODRAW] 2.2). */
export const ART = {
  drawing: 0xf002,
  group: 0xf003,
  shape: 0xf004,
  groupFrame: 0xf009,
  shapeHead: 0xf00a,
  properties: 0xf00b,
  textBox: 0xf00d,
  childAnchor: 0xf00f,
  anchor: 0xf010,
  data: 0xf011,
  moreProperties: 0xf122,
} as const;

/** Ids of shape properties ([MS-ODRAW] 2.3). */
export const PROPERTY = {
  fillColor: 0x181,
  fillFlags: 0x1bf,
  description: 0x381,
  groupFlags: 0x3bf,
  tableFlags: 0x39f,
} as const;

/** The properties of a shape by id: numbers, and text for those stored after the list. */
export class ShapeProperties {
  readonly #values = new Map<number, number>();
  readonly #texts = new Map<number, string>();

  /** `shape` is a shape's container ([MS-ODRAW] 2.2.14). */
  constructor(bytes: Buffer, shape: ArtRecord) {
    for (const record of recordsIn(bytes, shape.from, shape.to))
      if (record.type === ART.properties || record.type === ART.moreProperties) this.#read(bytes, record);
  }

  #read(bytes: Buffer, { from, to, instance }: ArtRecord): void {
    const count = Math.min(instance, Math.floor((to - from) / 6));
    let rest = from + count * 6;
    for (let index = 0; index < count; index += 1) {
      const id = u16(bytes, from + index * 6);
      const value = u32(bytes, from + index * 6 + 2);
      this.#values.set(id & 0x3fff, value);
      if ((id & 0x8000) === 0) continue;
      const length = Math.min(value, to - rest);
      if ((id & 0x3fff) === PROPERTY.description)
        this.#texts.set(
          PROPERTY.description,
          beforeNul(utf16(bytes, rest, Math.min(MAX_DESCRIPTION, length >> 1))),
        );
      rest += length;
    }
  }

  value(id: number): number | undefined {
    return this.#values.get(id);
  }

  /** Alternative text; `''` without one. */
  get description(): string {
    return this.#texts.get(PROPERTY.description) ?? '';
  }

  /** True for a shape that is not shown (`fHidden`, [MS-ODRAW] 2.3.4.44). */
  get hidden(): boolean {
    return ((this.#values.get(PROPERTY.groupFlags) ?? 0) & 0x20002) === 0x20002;
  }
}
