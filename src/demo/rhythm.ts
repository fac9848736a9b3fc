import { SeededRandom } from './seededRandom.ts';

export const minuteMicros = 60_000_000;
const minutesPerDay = 24 * 60;

/**
 * How busy a minute is; 1 on average over a working day. Nights are quiet, afternoons (UTC) peak, weekends are calmer,
 * and hours differ a little at random.
 */
export function busyness(project: string, minute: number): number {
  const ofDay = (((minute % minutesPerDay) + minutesPerDay) % minutesPerDay) / minutesPerDay;
  // 1970-01-01 was a Thursday: days 2 and 3 of each week from there are Saturday and Sunday.
  const weekday = Math.floor(minute / minutesPerDay) % 7;
  const daily = 1 + 0.55 * Math.sin(2 * Math.PI * (ofDay - 0.34)) + 0.12 * Math.sin(4 * Math.PI * ofDay);
  const weekly = weekday === 2 || weekday === 3 ? 0.85 : 1;
  const ofHour = 0.9 + 0.2 * new SeededRandom(`busy/${project}/${Math.floor(minute / 60)}`).next();
  return daily * weekly * ofHour;
}

/** Probability that a request fails in this minute: small, except in an occasional bad quarter of an hour. */
export function failureRate(project: string, minute: number): number {
  const quarter = new SeededRandom(`incident/${project}/${Math.floor(minute / 15)}`);
  return quarter.chance(1 / 32) ? 0.25 : 0.012;
}
