export interface Planted {
  readonly kind: string;
  readonly secret: string;
  /** The line or lines that hold it. */
  readonly text: string;
}
export function numbers(seed: number): () => number;
export function plantedSecrets(seed: number, count: number): Planted[];
export function harmlessLines(seed: number, count: number): string[];
