import type { PostgresMigration } from '../migrate.ts';

/**
 * Gives each change count a mark that no other history of the store has, so that nodes notice if an older copy of the
 * store was restored, also if its counts have reached theirs. The database sets it for nodes of every release.
 */
export const changeMarks: PostgresMigration = {
  name: '0008_change_marks',
  oldest: '0001_definitions',
  statements: [
    `alter table generations add column mark text collate "C" not null default ''`,
    'update generations set mark = gen_random_uuid()',
    `create function mark_generation() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or new.generation <> old.generation then
          new.mark := gen_random_uuid();
        end if;
        return new;
      end $$`,
    `create trigger generations_marked before insert or update of generation on generations
      for each row execute function mark_generation()`,
    // Nodes of the release before read the first two parts.
    `create or replace function tell_generation() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or new.generation <> old.generation then
          perform pg_notify(tg_table_schema || '_generations', new.subject || ' ' || new.generation || ' ' || new.mark);
        end if;
        return null;
      end $$`,
  ],
};
