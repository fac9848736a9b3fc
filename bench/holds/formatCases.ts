import { formatNames } from '../../src/formats/resultFormat.ts';
import type { HoldCase } from './holdCase.ts';

/** The events that callCases.ts has sent: 66 with texts of 900,000 characters. */
const large = { project: 'large' };

/** A row for each pair of 1,000 and 10 numbers, of which every other text needs quotes or escapes. */
const manyRows = `select a * 10 + b as n, a / 3 as third, if(b = 3, null, format('"%d", |\\n', a)) as text
from unnest(generate_array(1, 1000)) as a cross join unnest(generate_array(0, 9)) as b`;

const wideRows = `select ${Array.from({ length: 900 }, (_, n) => `n + ${n} as c${n}`).join(', ')}
from unnest(generate_array(1, 1000)) as n`;

const nestedRows = `select n, array(select as struct i, format('%d|"', i) as text from unnest(generate_array(1, 20000)) as i) as list
from unnest(generate_array(1, 20)) as n`;

const queries: Readonly<Record<string, string>> = {
  'long texts': '',
  '10,000 rows': manyRows,
  '900 columns': wideRows,
  'long arrays of structs': nestedRows,
};

/** Answers of the maximum size in every form. */
export const formatCases: readonly HoldCase[] = [
  ...Object.entries(queries).flatMap(([name, sql]) =>
    formatNames.map(
      (format): HoldCase => ({
        name: `an answer as ${format}: ${name}`,
        run: (client) => client.call('logs.all', { ...large, format, ...(sql === '' ? {} : { sql }) }),
      }),
    ),
  ),
  {
    name: 'an answer as csv, guarded, with a mark',
    run: (client) =>
      client.call('logs.all', { ...large, format: 'csv', csv_guard: 'true', bom: 'true', sql: manyRows }),
  },
  {
    name: 'a page of long texts',
    run: (client) =>
      client.call('logs.all', {
        ...large,
        page_size: '60',
        sql: 'select id, event_message from edge_logs order by id',
      }),
  },
  {
    name: 'names and types of 900 columns',
    run: (client) => client.call('logs.all', { ...large, dry_run: 'true', sql: wideRows }),
  },
];
