import type { PostgresMigration } from '../migrate.ts';

/** Copies of events from another store that have begun and not ended. Nodes of the release before do not look at them. */
export const eventCopies: PostgresMigration = {
  name: '0007_event_copies',
  oldest: '0001_definitions',
  statements: [
    `create table event_copies (
      target text primary key,
      origin text not null,
      place text not null
    )`,
  ],
};
