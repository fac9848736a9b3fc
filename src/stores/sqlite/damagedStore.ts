/** The store is not a database, or is inconsistent. The message is shown as it is. */
export class DamagedStore extends Error {
  constructor(path: string, cause: Error) {
    super(
      `${path} is damaged (${cause.message}). Keep the file, and restore a backup into another folder with "logmill restore". "logmill doctor" checks the other files.`,
      { cause },
    );
    this.name = 'DamagedStore';
  }
}

/** Converts SQLite's errors about a damaged file to a DamagedStore; returns other errors unchanged. */
export function asDamagedStore(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const isDamage = error.code === 'SQLITE_NOTADB' || String(error.code).startsWith('SQLITE_CORRUPT');
  return isDamage ? new DamagedStore(path, error) : error;
}
