import { useId, useRef, useState } from 'react';
import { timesOf } from '../lql/clauses.ts';
import { localZone, nowMicros, parseInstant, printInstant, type Zone } from '../time/instant.ts';
import { rangeOf, relativeRanges } from '../time/timeRange.ts';

interface TimePickerProps {
  readonly lql: string;
  readonly zone: Zone;
  readonly onTimes: (times: readonly string[]) => void;
  readonly onZone: (zone: Zone) => void;
}

/** The time range as words, and a menu to change it: it edits the `t:` clauses. */
export function TimePicker({ lql, zone, onTimes, onZone }: TimePickerProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const id = useId();
  const times = timesOf(lql);
  const current = times.length === 1 ? times[0]?.replace(/^\w+:/, '') : undefined;
  const name = relativeRanges.find(([clause]) => clause === current)?.[1];
  const choose = (next: readonly string[]) => {
    menu.current?.removeAttribute('open');
    onTimes(next);
  };
  return (
    <div className="time-picker">
      <details ref={menu} className="menu">
        <summary data-key="t">{name ?? (times.length === 0 ? 'All time' : 'Chosen times')}</summary>
        <div className="menu-body">
          <ul>
            {relativeRanges.map(([clause, title]) => (
              <li key={clause}>
                <button type="button" aria-pressed={clause === current} onClick={() => choose([`t:${clause}`])}>
                  {title}
                </button>
              </li>
            ))}
          </ul>
          <AbsoluteRange times={times} zone={zone} onTimes={choose} />
        </div>
      </details>
      <label className="unseen" htmlFor={id}>
        Zone
      </label>
      <select id={id} value={zone} onChange={(event) => onZone(event.target.value === 'UTC' ? 'UTC' : 'local')}>
        <option value="UTC">UTC</option>
        <option value="local">{localZone() === 'UTC' ? 'Local' : localZone()}</option>
      </select>
    </div>
  );
}

interface AbsoluteRangeProps {
  readonly times: readonly string[];
  readonly zone: Zone;
  readonly onTimes: (times: readonly string[]) => void;
}

/** From and to, on the calendar, in the zone that is shown. */
function AbsoluteRange({ times, zone, onTimes }: AbsoluteRangeProps) {
  const range = rangeOf(times, nowMicros());
  const [from, setFrom] = useState(() => fieldText(range?.from ?? nowMicros() - 3600e6, zone));
  const [to, setTo] = useState(() => fieldText(range?.to ?? nowMicros(), zone));
  const [fromMicros, toMicros] = [fieldMicros(from, zone), fieldMicros(to, zone)];
  const isValid = fromMicros !== undefined && toMicros !== undefined && fromMicros < toMicros;
  const apply = () => {
    if (isValid) onTimes([`t:>=${printInstant(fromMicros)}`, `t:<${printInstant(toMicros)}`]);
  };
  return (
    <div className="absolute-range">
      <label>
        From
        <input type="datetime-local" step="1" value={from} onChange={(event) => setFrom(event.target.value)} />
      </label>
      <label>
        To
        <input type="datetime-local" step="1" value={to} onChange={(event) => setTo(event.target.value)} />
      </label>
      <p className="muted small">
        {zone === 'UTC' ? 'UTC' : localZone()}
        {!isValid && ': the first must be before the second'}
      </p>
      <button type="button" disabled={!isValid} onClick={apply}>
        Use these times
      </button>
    </div>
  );
}

/** The form of a field for a date and a time. */
function fieldText(micros: number, zone: Zone): string {
  const date = new Date(micros / 1000);
  const shifted = zone === 'UTC' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

function fieldMicros(text: string, zone: Zone): number | undefined {
  if (zone === 'UTC') return parseInstant(text);
  const millis = new Date(text).getTime();
  return Number.isFinite(millis) ? millis * 1000 : undefined;
}
