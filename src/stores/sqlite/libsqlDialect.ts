import {
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type Database from 'libsql';
import { LibsqlDriver } from './libsqlDriver.ts';

/** Kysely's SQLite language over a libsql connection. */
export class LibsqlDialect implements Dialect {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  createDriver(): Driver {
    return new LibsqlDriver(this.#database);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(database);
  }
}

/**
 * Kysely assumes that one process migrates. With transactions around the migrations, the write lock
 * of BEGIN IMMEDIATE makes a second process (the CLI beside the server) wait and then find them done.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
