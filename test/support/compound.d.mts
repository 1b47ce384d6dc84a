// The types of `compound.mjs`.

export interface CompoundNode {
  readonly name: string;
  readonly data?: Buffer;
  readonly children?: readonly CompoundNode[];
}

export function compoundOf(children: readonly CompoundNode[]): Buffer;

export interface OutlookObject {
  readonly text?: Readonly<Record<number, string>>;
  readonly binary?: Readonly<Record<number, Uint8Array | string>>;
  readonly numbers?: Readonly<Record<number, number>>;
  readonly times?: Readonly<Record<number, string>>;
}

export interface OutlookMessage extends OutlookObject {
  readonly recipients?: readonly OutlookObject[];
  readonly attachments?: readonly (OutlookObject & { readonly message?: OutlookMessage })[];
}

export function outlookMessage(message: OutlookMessage): Buffer;
