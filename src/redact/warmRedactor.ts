import { type Background, inBackground } from '../core/concurrency/inBackground.ts';
import { createRedactor, defaultDetectors, type Redactor } from './createRedactor.ts';
import { RedactionCounts } from './redactionCounts.ts';
import { redactRows } from './redactRows.ts';
import { TextView } from './textView.ts';

/** Pause between two steps, in milliseconds, so that calls can run in between. */
const pauseMs = 2;
const rounds = 4;

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJleGFtcGxlIn0.c2lnbmF0dXJlc2lnbmF0dXJl';

/** Rows that make every built-in detector look closely. They are short, because each is redacted in one step. */
export const warmingRows: readonly object[] = [
  {
    event_message: `POST | 401 | 203.0.113.9 | https://user:secret@api.example.com/token?apikey=${jwt}&code=abc123 | sent by anna@example.com`,
  },
  {
    metadata: [
      {
        request: [
          { headers: [{ x_real_ip: '2001:db8::9', cookie: 'sid=0123456789', authorization: `Bearer ${jwt}` }] },
        ],
      },
    ],
  },
  { metadata: [{ body: '{"name": "Cookie", "value": "sid=0123456789", "email": "anna@example.com"}' }] },
  {
    event_message:
      'Authorization: Basic dXNlcjpzZWNyZXQ= Authorization: Bearer 0123456789abcdef password=hunter2 "otp": "123456"',
  },
  { event_message: 'sshpass -p hunter2 enable secret 5 $1$a$bc /reset-password/0123456789abcdefghij' },
  {
    metadata: [{ host: '9.113.0.203.in-addr.arpa', key: 'sb_secret_0123456789abcdefghijklmnopqrstuv', level: 'info' }],
  },
];

/**
 * Redacts a few rows step by step in the background, so that the patterns, which all redactors share, are compiled
 * before the first call, which would hold the thread 60 ms longer. Discards the rows. Returns a function that stops it.
 */
export function warmRedactor(background: Background, redactor: Redactor = createRedactor()): () => void {
  return inBackground(background, steps(redactor), pauseMs);
}

/** Each detector reads each text, and then the rows are redacted. */
function* steps(redactor: Redactor): Generator<number, void> {
  const rows = warmingRows.map((row) => Buffer.from(JSON.stringify(row)));
  for (const row of rows) {
    const view = TextView.of(row.toString());
    for (const detector of defaultDetectors) {
      detector.find(view, () => {});
      yield pauseMs;
    }
  }
  redactor.isPersonal(['session_cookie']);
  yield pauseMs;
  redactor.redactGiven('anna@example.com', new RedactionCounts());
  yield pauseMs;
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) {
      redactRows(row, new Map(), redactor);
      yield pauseMs;
    }
  }
}
