// Which version of lectern runs. A constant, which bundlers take along; a test holds it against the manifest.

/** The version in the manifest of the package. */
export const PACKAGE_VERSION: string = '0.1.0';
