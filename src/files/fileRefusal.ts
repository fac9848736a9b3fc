/** A file that is not accepted. The message completes "<its name> …". */
export class FileRefusal extends Error {}
