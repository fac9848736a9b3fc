/** Thrown by a decompressor when the output exceeds its limit. */
export class OutputTooLarge extends Error {}
