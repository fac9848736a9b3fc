import { describe, expect, it } from 'vitest';
import { renderExplanation } from './explanation.ts';

const dryRun = {
  language: 'lql',
  tables: [{ name: 'edge_logs', columns: ['metadata.request.path', 'timestamp'] }],
  columns: [
    { name: 'timestamp', type: 'TIMESTAMP' },
    { name: 'count', type: 'INT64' },
  ],
  parameters: [
    { name: 'project', type: 'string', required: true, used: true },
    { name: 'other', type: 'string', required: false, used: false },
  ],
  rows_max: 1000,
};

describe('a dry run as text', () => {
  it('has a line for each thing that there is', () => {
    expect(renderExplanation({ dry_run: dryRun })).toBe(
      [
        'language  lql',
        'reads     edge_logs(metadata.request.path, timestamp)',
        'returns   timestamp TIMESTAMP',
        '          count INT64',
        'uses      @project string',
        'rows      at most 1000',
      ].join('\n'),
    );
  });

  it('ends with what only a manager is told', () => {
    const sources = [{ name: 'edge_logs', columns: ['timestamp'] }];
    const text = renderExplanation({
      dry_run: { ...dryRun, sources, engine: { statement: 'SELECT 1', plan: 'SCAN' } },
    });
    expect(text).toContain('from      sources.edge_logs(timestamp)\n');
    expect(text).toMatch(/\n\nSELECT 1\n\nSCAN$/);
  });
});
