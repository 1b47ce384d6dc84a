// Constants of the zip format (PKWARE APPNOTE 6.3.10).

/** Signatures of the records (4.3.7 to 4.3.16, 8.5.4). */
export const LOCAL_HEADER = 0x04034b50;
export const DIRECTORY_HEADER = 0x02014b50;
export const DIRECTORY_END = 0x06054b50;
export const ZIP64_END = 0x06064b50;
export const ZIP64_LOCATOR = 0x07064b50;
export const DESCRIPTOR = 0x08074b50;
export const EXTRA_DATA = 0x08064b50;
/** Replaces `DESCRIPTOR` before an archive meant for several parts that fitted into one. */
export const SINGLE_PART = 0x30304b50;

/** Length of a local header without its name and extra fields (4.3.7). */
export const LOCAL_LENGTH = 30;

/** Compression methods (4.4.5). */
export const STORED = 0;
export const DEFLATED = 8;
/** WinZip AES: the method used inside the encryption is in an extra field. */
export const AES = 99;

/** The extra field of entries with WinZip AES. */
export const AES_FIELD = 0x9901;

/** Bits of the general purpose flag (4.4.4). */
export const ENCRYPTED_FLAG = 1;
/** PKWARE's own encryption, which needs a licence (4.4.4, section 7). */
export const STRONG_FLAG = 0x40;
/** The sizes follow the data. */
export const DESCRIPTOR_FLAG = 8;
export const UTF8_FLAG = 0x800;
