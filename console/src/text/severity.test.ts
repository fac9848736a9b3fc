import { describe, expect, it } from 'vitest';
import { shapeOf } from '../explore/tableShape.ts';
import { severityOf } from './severity.ts';

describe('severity', () => {
  it('is read from levels and statuses of any shipper', () => {
    const read = (['warn', 'WARNING', 'ERROR', 'FATAL', 'PANIC', 'LOG', 'debug', 503, '404', 200] as const).map(
      severityOf,
    );
    expect(read).toEqual([
      'warning',
      'warning',
      'error',
      'critical',
      'critical',
      'info',
      'debug',
      'error',
      'warning',
      'info',
    ]);
    expect(severityOf(null)).toBeUndefined();
  });

  it('is found in the rows of a table', () => {
    const columns = ['id', 'timestamp', 'event_message', 'metadata'].map((name) => ({ name, type: 'STRING' }));
    const row = {
      id: 'a',
      timestamp: 'b',
      event_message: 'c',
      metadata: { response: { status_code: 200, 'a-b': 1 }, level: 'info' },
    };
    expect(shapeOf(columns, [row])).toMatchObject({
      isLog: true,
      level: 'm.level',
      status: 'm.response.status_code',
      paths: ['event_message', 'id', 'm.level', 'm.response.status_code', 'timestamp'],
    });
    expect(shapeOf([{ name: 'd', type: 'DATE' }], []).isLog).toBe(false);
  });
});
