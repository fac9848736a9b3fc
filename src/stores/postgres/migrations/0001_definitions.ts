import type { PostgresMigration } from '../migrate.ts';

/**
 * Everything that the embedded store keeps too, in the same columns. Text compares by its bytes (collation C), as there.
 * Whole numbers that are 0 or 1 stay numbers, so that one text of SQL serves both databases.
 */
export const definitions: PostgresMigration = {
  name: '0001_definitions',
  oldest: '0001_definitions',
  statements: [
    `create table generations (
      subject text collate "C" primary key,
      generation bigint not null
    )`,
    // Sent with the commit: whoever hears it sees the change.
    `create function tell_generation() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or new.generation <> old.generation then
          perform pg_notify(tg_table_schema || '_generations', new.subject || ' ' || new.generation);
        end if;
        return null;
      end $$`,
    `create trigger generations_told after insert or update of generation on generations
      for each row execute function tell_generation()`,
    `create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '%', tg_argv[0];
      end $$`,

    `create table tokens (
      public_id text collate "C" primary key,
      secret_hash text collate "C" not null,
      description text not null,
      scopes text not null,
      manages integer not null check (manages in (0, 1)),
      slot text check (slot in ('admin', 'query', 'ingest')),
      restrictions text,
      previous_hash text collate "C",
      previous_until bigint,
      created_at bigint not null,
      expires_at bigint,
      last_used_at bigint,
      revoked_at bigint
    )`,
    'create unique index tokens_slot on tokens (slot) where slot is not null and revoked_at is null',
    'create index tokens_secret_hash on tokens (secret_hash)',
    'create index tokens_created on tokens (created_at, public_id)',

    `create table endpoints (
      id text collate "C" primary key,
      name text collate "C" not null,
      current_version bigint not null,
      is_primary integer not null check (is_primary in (0, 1)),
      created_at bigint not null,
      updated_at bigint not null,
      deleted_at bigint
    )`,
    'create index endpoints_name on endpoints (name)',
    'create index endpoints_name_id on endpoints (name, id) where deleted_at is null',
    'create unique index endpoints_primary on endpoints (name) where is_primary = 1 and deleted_at is null',
    `create table endpoint_versions (
      endpoint_id text collate "C" not null references endpoints (id),
      version bigint not null,
      definition text not null,
      created_at bigint not null,
      author text collate "C",
      note text not null default '',
      primary key (endpoint_id, version)
    )`,
    `create trigger endpoint_versions_immutable before update on endpoint_versions
      for each row execute function refuse_change('versions are immutable')`,

    `create table audit_trail (
      sequence bigint primary key,
      at bigint not null,
      actor text collate "C",
      action text not null,
      target text,
      version bigint,
      request_id text,
      code text,
      count bigint not null check (count > 0)
    )`,
    'create index audit_trail_actor on audit_trail (actor, sequence)',
    // A sequence would number entries in another order than they are committed, and leave gaps.
    `create function number_audit_entry() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended(tg_table_schema || ' audit_trail', 0));
        new.sequence := (select coalesce(max(sequence), 0) + 1 from audit_trail);
        return new;
      end $$`,
    `create trigger audit_trail_number before insert on audit_trail
      for each row execute function number_audit_entry()`,
    `create trigger audit_trail_append_only before update or delete on audit_trail
      for each row execute function refuse_change('the audit trail is append-only')`,
    `create trigger audit_trail_not_emptied before truncate on audit_trail
      for each statement execute function refuse_change('the audit trail is append-only')`,

    `create table sources (
      name text collate "C" primary key,
      project_field text not null,
      description text not null,
      created_at bigint not null
    )`,
    `create table source_aliases (
      alias text collate "C" primary key,
      source text collate "C" not null
    )`,

    `create table retention_rules (
      source text collate "C" not null,
      project text collate "C" not null,
      days bigint not null,
      primary key (source, project)
    )`,
    `create table retention_marks (
      source text collate "C" not null,
      project text collate "C" not null,
      micros bigint not null,
      primary key (source, project)
    )`,
    `create table event_deletions (
      boundary bigint primary key,
      id text collate "C" not null unique,
      project text collate "C" not null,
      source text collate "C",
      before_micros bigint,
      requested_at bigint not null,
      requested_by text not null,
      completed_at bigint
    )`,
    `create table event_deletion_sources (
      boundary bigint not null references event_deletions (boundary) on delete cascade,
      source text collate "C" not null,
      events bigint not null,
      bytes bigint not null,
      primary key (boundary, source)
    )`,
    // The data folder that has the events, if the engine is the embedded one.
    `create table event_folder (
      row integer primary key check (row = 1),
      id text not null
    )`,
  ],
};
