import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type SyslogFrame, SyslogFrames } from './frames.ts';

const shown = (frame: SyslogFrame) => (frame.kind === 'message' ? frame.bytes.toString() : frame.bytes);

/** The messages of a connection whose bytes arrive in these chunks. */
function read(chunks: readonly Buffer[], bytesMax = 1000): readonly (string | number)[] {
  const frames = new SyslogFrames(bytesMax);
  return [...chunks.flatMap((chunk) => frames.push(chunk)), ...frames.end()].map(shown);
}

test.each([
  ['lines', '<13>a\n<13>b\r\n', ['<13>a', '<13>b']],
  ['counted messages', '5 <13>a7 <13>b\nc', ['<13>a', '<13>b\nc']],
  ['both', '5 <13>a<13>b\n5 <13>c', ['<13>a', '<13>b', '<13>c']],
  ['a last line without an end', '<13>a\n<13>b', ['<13>a', '<13>b']],
  ['empty lines and the zero byte of some senders', '\n\n<13>a\0\n', ['<13>a']],
  ['a line that begins with a number', '12 monkeys\n', ['12 monkeys']],
  ['nothing of a counted message that is incomplete', '9 <13>a', []],
  ['a last line of digits without an end', '12\n34', ['12', '34']],
  ['only a line of digits and a space', '12 ', ['12 ']],
  ['nothing of a length that is incomplete', '5 <13>a12', ['<13>a']],
])('divides %s', (_what, text, messages) => {
  expect(read([Buffer.from(text)])).toEqual(messages);
});

describe('a message that is too long', () => {
  const long = `<13>${'x'.repeat(2000)}`;

  it.each([
    ['as a line', `<13>a\n${long}\n<13>b\n`],
    ['counted', `5 <13>a${long.length} ${long}<13>b\n`],
  ])('%s is passed over, and the next one is read', (_what, text) => {
    expect(read([Buffer.from(text)])).toEqual(['<13>a', long.length, '<13>b']);
    expect(read([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toEqual(['<13>a', long.length, '<13>b']);
  });
});

it('reads the same messages wherever the bytes are divided', () => {
  const message = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => {
    const content = `<13>${text.replaceAll(/[\n\r\0]/g, ' ')}.`;
    return { content, sent: Buffer.from(content) };
  });
  const sent = fc.array(fc.tuple(message, fc.boolean()), { maxLength: 6 });
  fc.assert(
    fc.property(sent, fc.array(fc.nat(200), { maxLength: 6 }), (messages, cuts) => {
      const bytes = Buffer.concat(
        messages.map(([{ sent: content }, isCounted]) =>
          isCounted
            ? Buffer.concat([Buffer.from(`${content.length} `), content])
            : Buffer.concat([content, Buffer.from('\n')]),
        ),
      );
      const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
      expect(read(chunks)).toEqual(messages.map(([{ content }]) => content));
    }),
    { numRuns: 200 },
  );
});
