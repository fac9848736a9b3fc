import { describe, expect, it } from 'vitest';
import { problemSchema, renderProblem } from './problemDocument.ts';

const problem = (more: object) =>
  problemSchema.parse({ status: 400, code: 'sql.unknown_name', error: { message: 'No column x.' }, ...more });

describe('renderProblem', () => {
  it('puts a caret under the place in the query', () => {
    const sql = 'select id,\n\tstatuscode\nfrom edge_logs';
    expect(renderProblem(problem({ errors: [{ line: 2, column: 2 }] }), sql)).toBe(
      'No column x. [sql.unknown_name]\n  \tstatuscode\n  \t^',
    );
  });

  it('leaves the caret out where the place is not in the text', () => {
    expect(renderProblem(problem({ errors: [{ line: 9, column: 1 }] }), 'select 1')).toBe(
      'No column x. [sql.unknown_name]',
    );
    expect(renderProblem(problem({ errors: [{ line: 1, column: 1 }] }), undefined)).toBe(
      'No column x. [sql.unknown_name]',
    );
  });

  it('tells of every parameter that is wrong', () => {
    const errors = [
      { parameter: 'interval', allowed: ['hourly', 'daily'] },
      { parameter: 'project', message: 'project is missing' },
    ];
    expect(renderProblem(problem({ errors }), undefined)).toBe(
      'No column x. [sql.unknown_name]\n  interval: allowed: hourly, daily\n  project: project is missing',
    );
  });

  it('names what is allowed where the sentence does not', () => {
    const shown = (item: object, message = 'No table x.') =>
      renderProblem(problem({ errors: [item], error: { message } }), undefined);
    expect(shown({ allowed: ['edge_logs', 'auth_logs'] })).toBe(
      'No table x. [sql.unknown_name]\n  allowed: edge_logs, auth_logs',
    );
    expect(shown({ allowed: ['a', 'b'] }, 'One of a, b.')).toBe('One of a, b. [sql.unknown_name]');
    expect(shown({ allowed: ['a', 'xs'], nearest: 'xs' })).toBe('No table x. [sql.unknown_name]');
    expect(shown({ allowed: [] })).toBe('No table x. [sql.unknown_name]');
    const many = Array.from({ length: 23 }, (_, n) => `table_${n}`);
    expect(shown({ allowed: many })).toMatch(/table_19 and 3 more$/);
  });

  it('gives the request ID where the service is to blame', () => {
    expect(renderProblem(problem({ status: 502, request_id: 'r-1' }), undefined)).toContain('request ID r-1');
    expect(renderProblem(problem({ request_id: 'r-1' }), undefined)).not.toContain('r-1');
  });
});
