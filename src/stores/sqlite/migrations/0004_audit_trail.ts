import { type Kysely, type Migration, sql } from 'kysely';

/** A permanent record of who did what: the database itself refuses to change or remove an entry. */
export const auditTrail: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create table audit_trail (
      sequence integer primary key autoincrement,
      at integer not null,
      actor text,
      action text not null,
      target text,
      version integer,
      request_id text,
      code text,
      count integer not null check (count > 0)
    ) strict`.execute(database);
    await sql`create index audit_trail_actor on audit_trail (actor, sequence)`.execute(database);
    await sql`create trigger audit_trail_no_update before update on audit_trail
      begin select raise(abort, 'the audit trail is append-only'); end`.execute(database);
    // INSERT OR REPLACE removes a row without firing the trigger below.
    await sql`create trigger audit_trail_no_replace before insert on audit_trail
      when exists (select 1 from audit_trail where sequence = new.sequence)
      begin select raise(abort, 'the audit trail is append-only'); end`.execute(database);
    await sql`create trigger audit_trail_no_delete before delete on audit_trail
      begin select raise(abort, 'the audit trail is append-only'); end`.execute(database);
  },
};
