import { expect, test } from 'vitest';
import type { Column, Expr, JoinRelation, Relation } from '../../../googlesql/resolve/tree.ts';
import { BOOL, INT64, STRING } from '../../../googlesql/types.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { call, read, start } from './conditions.fixture.ts';
import { withoutNullTests } from './withoutNullTests.ts';

let ids = 0;
function column(name: string, type: Column['type']): Column {
  ids += 1;
  return { id: ids, name, type };
}
const none: Expr = { kind: 'literal', type: STRING, value: null };
const no: Expr = { kind: 'literal', type: BOOL, value: false };
const yes: Expr = { kind: 'literal', type: BOOL, value: true };

function scan() {
  const [source] = builtinSources;
  if (source === undefined) throw new Error('there is no source');
  const columns = {
    id: column('id', STRING),
    timestamp: column('timestamp', { kind: 'TIMESTAMP' }),
    event_message: column('event_message', STRING),
    metadata: column('metadata', { kind: 'JSON' }),
    project: column('project', STRING),
  };
  const arrival = column('arrival', INT64);
  return { columns, arrival, relation: { kind: 'scan', source, columns, arrival } as const };
}

test('a test for NULL of a number that every event has is taken away, under every name of it', () => {
  const { columns, arrival, relation } = scan();
  const other = column('number', INT64);
  const before = call('$le', read(arrival), { kind: 'literal', type: INT64, value: 5n });
  const filter: Relation = {
    kind: 'filter',
    input: relation,
    condition: call('$or', call('$is_null', read(arrival)), before),
  };
  const project: Relation = { kind: 'project', input: filter, items: [{ column: other, expr: read(arrival) }] };
  const withId: Expr = {
    kind: 'case',
    type: STRING,
    branches: [{ when: call('$is_null', read(other)), value: read(columns.id) }],
    otherwise: null,
  };
  const tested = withoutNullTests(project, [withId, call('$not', call('$is_null', read(columns.project)))], [arrival]);
  expect(tested.relation).toEqual({ ...project, input: { ...filter, condition: before } });
  expect(tested.outputs).toEqual([none, yes]);
});

test('a test that may find NULL stays', () => {
  const { columns, arrival, relation } = scan();
  const nullable = call('$is_null', read(columns.metadata));
  expect(withoutNullTests(relation, [nullable, call('$and', nullable, yes)], [arrival]).outputs).toEqual([
    nullable,
    nullable,
  ]);
  const right = scan();
  const join: JoinRelation = { kind: 'join', type: 'left', left: relation, right: right.relation, on: yes, pos: start };
  const isMissing = call('$is_null', read(right.arrival));
  expect(withoutNullTests(join, [isMissing], [arrival, right.arrival]).outputs).toEqual([isMissing]);
  const isNumberless = call('$is_null', read(arrival));
  expect(withoutNullTests(join, [isNumberless], [arrival, right.arrival]).outputs).toEqual([no]);
  const inner = withoutNullTests({ ...join, type: 'inner' }, [isMissing], [arrival, right.arrival]);
  expect(inner.outputs).toEqual([no]);
});
