import type { PushedCase } from './pushedCases.ts';

const members = [
  't.metadata.x',
  't.metadata.deep.a.b',
  't.metadata.request.odd',
  't.metadata.request.headers.x_real_ip',
  't.metadata.response.a',
];

/** Rows in a total order. */
const rows = (columns: string, where: string): PushedCase => ({
  name: `rows with ${columns} where ${where}`,
  text: `select t.id, ${columns} from sources.edge_logs as t where ${where} order by t.timestamp desc, t.id limit 250`,
});
const isScalar = (member: string): string => `(${member} is null or safe_cast(${member} as string) is not null)`;

/** Members of rows, which are fetched without the rest of their events unless one is an object or an array. */
export const memberCases: readonly PushedCase[] = [
  ...members.flatMap((member) => [rows(`${member} as m`, 'true'), rows(`${member} as m`, isScalar(member))]),
  rows(
    't.metadata.x as m, t.metadata.request.path as p, t.metadata.response.origin_time as o',
    isScalar('t.metadata.x'),
  ),
  rows('t.metadata.x as m, t.metadata as w', isScalar('t.metadata.x')),
  rows("t.metadata.x as m, concat('<', safe_cast(t.metadata.x as string)) as c", isScalar('t.metadata.x')),
  rows('t.metadata.x as m, upper(safe_cast(t.metadata.x as string)) as c', isScalar('t.metadata.x')),
  rows('t.metadata.request as r', 'true'),
  {
    name: 'a member behind an offset',
    text: `select t.id, t.metadata.x as m from sources.edge_logs as t where ${isScalar('t.metadata.x')} order by t.timestamp, t.id limit 40 offset 7`,
  },
  {
    name: 'a member in the order of another one',
    text: `select t.id, t.metadata.deep.a.b as m from sources.edge_logs as t where ${isScalar('t.metadata.deep.a.b')} order by safe_cast(t.metadata.x as float64) desc, t.id limit 40`,
  },
  {
    name: 'members of both sides of a join',
    text: `select a.id as l, b.id as r, a.metadata.x as m, b.metadata.deep.a.b as d from sources.edge_logs as a join sources.auth_logs as b on a.event_message = b.event_message where ${isScalar('a.metadata.x')} and ${isScalar('b.metadata.deep.a.b')} order by l, r limit 60`,
  },
  {
    name: 'a member below an UNNEST',
    text: `select t.id, u.action as m from sources.edge_logs as t cross join unnest(t.metadata.auth_event) as u order by t.id limit 60`,
    mayBeKeptBack: true,
  },
];
