import { describe, expect, it, test } from 'vitest';
import { syslogEvent } from './syslogEvent.ts';

const arrivalMicros = Date.parse('2026-01-01T00:30:00Z') * 1000;
const event = (text: string) => syslogEvent(text, { arrivalMicros, project: 'p' });

// Examples of RFC 5424 (section 6.5) and RFC 3164 (section 5.4), and bytes of real senders.
test.each([
  [
    `<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \ufeff'su root' failed for lonvick on /dev/pts/8`,
    {
      timestamp: '2003-10-11T22:14:15.003Z',
      event_message: "'su root' failed for lonvick on /dev/pts/8",
      metadata: { facility: 'auth', severity: 'crit', host: 'mymachine.example.com', app_name: 'su', msg_id: 'ID47' },
    },
  ],
  [
    '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="Appli\\"cation\\]" eventID="1011"][examplePriority@32473 class="high"]',
    {
      timestamp: '2003-10-11T22:14:15.003Z',
      event_message: '',
      metadata: {
        facility: 'local4',
        severity: 'notice',
        host: 'mymachine.example.com',
        app_name: 'evntslog',
        msg_id: 'ID47',
        structured_data: {
          'exampleSDID@32473': { iut: '3', eventSource: 'Appli"cation]', eventID: '1011' },
          'examplePriority@32473': { class: 'high' },
        },
      },
    },
  ],
  [
    "<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8",
    {
      timestamp: '2025-10-11T22:14:15Z',
      event_message: "'su root' failed for lonvick on /dev/pts/8",
      metadata: { facility: 'auth', severity: 'crit', host: 'mymachine', app_name: 'su' },
    },
  ],
  [
    '<86>Dec 31 23:59:59 web sshd[4711]: Accepted publickey for deploy',
    {
      timestamp: '2025-12-31T23:59:59Z',
      event_message: 'Accepted publickey for deploy',
      metadata: { facility: 'authpriv', severity: 'info', host: 'web', app_name: 'sshd', proc_id: '4711' },
    },
  ],
  [
    '<13>Jan  1 00:29:59 web app: new year',
    {
      timestamp: '2026-01-01T00:29:59Z',
      event_message: 'new year',
      metadata: { facility: 'user', severity: 'notice', host: 'web', app_name: 'app' },
    },
  ],
  [
    '<13>Feb 30 00:00:00 web app: no such day',
    {
      event_message: 'no such day',
      metadata: { facility: 'user', severity: 'notice', host: 'web', app_name: 'app' },
    },
  ],
  ['<13>Use the BFG!', { event_message: 'Use the BFG!', metadata: { facility: 'user', severity: 'notice' } }],
  ['no priority', { event_message: 'no priority' }],
  ['<999>1 - - - - - - x', { event_message: '<999>1 - - - - - - x' }],
])('reads %s', (text, expected) => {
  expect(event(text)).toEqual({ project: 'p', ...expected });
});

describe('a message that is malformed', () => {
  it.each([
    '<34>1 2003-10-11T22:14:15.003Z host app - - [open id="1"',
    '<34>1 2003-10-11T22:14:15.003Z host app - - [a b=1] text',
    '<34>1 yesterday host app - - - text',
  ])('keeps its text: %s', (text) => {
    expect(event(text)).toMatchObject({ project: 'p', event_message: text.slice('<34>'.length) });
  });
});
