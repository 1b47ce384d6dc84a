// State shared by all stories of a Word document (body, headers, notes, comments) during conversion.

import type { Block } from '../../../src/document/index.ts';
import type { LeftOut, TrackedChanges } from '../left-out.ts';
import type { Numbering } from './numbering.ts';
import type { Remarks } from './remarks.ts';
import type { Styles } from './styles.ts';

/** Shared by the stories of a document. */
export interface WordDocument {
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly remarks: Remarks;
  readonly changes: TrackedChanges;
  readonly left: LeftOut;
  /** Reports content that is nested too deep. */
  readonly tooDeep: () => void;
  /** The mark of a package part; `''` if it does not exist. */
  member(part: string): string;
}

/**
 * Content that a story shows from other parts, read beforehand (charts, diagrams, imported text), by relationship id.
 */
export type Attachments = ReadonlyMap<string, readonly Block[]>;
