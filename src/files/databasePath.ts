import { resolve } from 'node:path';

/**
 * The path under which libsql opens a file. It takes a relative path such as `file:old/store.sqlite` for a URI, and would
 * open the file of another folder.
 */
export const databasePath = (path: string): string => resolve(path);
