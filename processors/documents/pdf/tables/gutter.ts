// The white strips between a table's columns.

/** A white strip between two columns. */
export interface Gutter {
  readonly from: number;
  readonly to: number;
}
