/** Thrown by a decompressor as soon as there is more output than allowed. */
export class OutputTooLarge extends Error {}
