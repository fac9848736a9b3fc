import { expect, it } from 'vitest';
import { readLines } from './readLines.ts';
import { textEvents } from './textLines.ts';

async function eventsOf(text: string, options: { joinIndented?: boolean; project?: string; bytesMax?: number } = {}) {
  const { joinIndented = false, project = null, bytesMax = 100 } = options;
  const events: unknown[] = [];
  async function* chunks() {
    yield Buffer.from(text);
  }
  const given = { project, joinIndented, bytesMax, nowMicros: () => 0 };
  for await (const line of textEvents(readLines(chunks(), 1000), given)) {
    const event = line.kind === 'line' ? JSON.parse(line.bytes.toString()) : line.kind;
    events.push([line.number, event.event_message ?? event, event.project]);
  }
  return events;
}

it('a line of text becomes an event, without blank lines and carriage returns', async () => {
  expect(await eventsOf('a "quote"\r\n\n  \n  b\nc', { project: 'p' })).toEqual([
    [1, 'a "quote"', 'p'],
    [4, '  b', 'p'],
    [5, 'c', 'p'],
  ]);
});

it('an indented line belongs to the event before if that is wanted, as far as there is room', async () => {
  const text = '  x\na\n\tat b\n  at c\nd\n';
  expect(await eventsOf(text, { joinIndented: true })).toEqual([
    [1, '  x', undefined],
    [2, 'a\n\tat b\n  at c', undefined],
    [5, 'd', undefined],
  ]);
  expect(await eventsOf(text, { joinIndented: true, bytesMax: 8 })).toEqual([
    [1, '  x', undefined],
    [2, 'a\n\tat b', undefined],
    [4, '  at c', undefined],
    [5, 'd', undefined],
  ]);
});

it('a line that is too long stays one, between events', async () => {
  expect(await eventsOf(`a\n${'x'.repeat(2000)}\n b\n`, { joinIndented: true })).toEqual([
    [1, 'a', undefined],
    [2, 'too_long', undefined],
    [3, ' b', undefined],
  ]);
});
