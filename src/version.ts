// The running version of lectern: a constant, which bundlers keep. A test compares it with the manifest.

/** The version in the package manifest. */
export const PACKAGE_VERSION: string = '0.1.0';
