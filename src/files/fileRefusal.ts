/** A file is not read as it is: the message completes "<its name> …". */
export class FileRefusal extends Error {}
