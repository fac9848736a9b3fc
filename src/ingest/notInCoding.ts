/** Thrown by every decoder if the bytes do not match their coding. */
export class NotInCoding extends Error {}
