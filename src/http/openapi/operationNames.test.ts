import { expect, it } from 'vitest';
import { operationNames } from './operationNames.ts';

const first = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const second = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';
const third = '6827ba9b-ffff-425d-8cde-4f10a8dd70f3';

it('makes a name of a program of the name of an endpoint', () => {
  const named = (name: string) => operationNames([{ id: first, name, primary: true }]).get(first);
  expect(named('logs.all')).toBe('logsAll');
  expect(named('functions.invocation-stats')).toBe('functionsInvocationStats');
  expect(named('5xx_errors')).toBe('endpoint5xxErrors');
  expect(named('--._')).toBe('endpoint');
});

it('gives the plain name to the primary, and the others a part of their id', () => {
  const names = operationNames([
    { id: second, name: 'logs.all', primary: false },
    { id: first, name: 'logs.all', primary: true },
  ]);
  expect([names.get(first), names.get(second)]).toEqual(['logsAll', 'logsAll6827ba9b']);
});

it.each(['constructor', 'query', 'pages', 'query-pages', 'tail', 'export', 'export-by-id', 'own.query', 'caller'])(
  'gives %s a part of its id, as the plain name means something else',
  (name) => {
    expect(operationNames([{ id: first, name, primary: true }]).get(first)).toMatch(/d9a2e433$/);
  },
);

it('never gives a name twice, whatever the order', () => {
  const endpoints = [
    { id: first, name: 'logs.all', primary: true },
    { id: second, name: 'logs-all', primary: true },
    { id: third, name: 'logs_all', primary: true },
  ];
  const names = operationNames(endpoints);
  expect(new Set(names.values()).size).toBe(3);
  expect([...names].sort()).toEqual([...operationNames(endpoints.toReversed())].sort());
  expect(names.get(second)).toBe('logsAll');
  expect([names.get(third), names.get(first)].sort()).toEqual(['logsAll6827ba9b', 'logsAlld9a2e433'].sort());
});
