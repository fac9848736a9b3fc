/** The store is no database any more, or one that contradicts itself. Shown as it is. */
export class DamagedStore extends Error {
  constructor(path: string, cause: Error) {
    super(
      `${path} is damaged (${cause.message}). Keep the file, and restore a backup into another folder with "logmill restore"; "logmill doctor" looks at the rest.`,
      { cause },
    );
    this.name = 'DamagedStore';
  }
}

/** What SQLite says of a file that was damaged, as a DamagedStore; any other error as it is. */
export function asDamagedStore(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const isDamage = error.code === 'SQLITE_NOTADB' || String(error.code).startsWith('SQLITE_CORRUPT');
  return isDamage ? new DamagedStore(path, error) : error;
}
