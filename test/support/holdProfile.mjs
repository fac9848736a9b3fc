// What ran while the main thread was held, by a sampling profile of the same thread.
import { Session } from 'node:inspector';

const intervalMicros = 1000;
/** An unused profile is dropped after this time, so that it stays small. */
const keptMs = 10_000;
/** The share of a hold that a call must have taken to be reported. */
const toldShare = 0.15;

/** Profiles this thread. Beginning and ending a profile takes tens of milliseconds, so it is done between holds. */
export class HoldProfile {
  #session = new Session();
  #beganMs = 0;

  constructor() {
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.setSamplingInterval', { interval: intervalMicros });
    this.#begin();
  }

  /** Begins anew if the profile has become large. */
  tick(nowMs) {
    if (nowMs - this.#beganMs < keptMs) return;
    this.#post('Profiler.stop');
    this.#begin();
  }

  /** Returns the calls of the last `heldMs`, and begins a new profile. */
  tell(heldMs) {
    const { profile } = this.#post('Profiler.stop');
    this.#begin();
    return told(profile, heldMs);
  }

  #begin() {
    this.#post('Profiler.start');
    this.#beganMs = performance.now();
  }

  /** The session answers at once, because it belongs to the same thread. */
  #post(method, parameters) {
    let answer;
    this.#session.post(method, parameters, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  }
}

/**
 * The calls that took much of the last `heldMs`, as a tree: one line each, indented by depth, with everything that they
 * called.
 */
export function told({ nodes, samples, timeDeltas, startTime, endTime }, heldMs) {
  const byId = new Map(nodes.map((node) => [node.id, { ...node, ms: 0 }]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const fromMicros = endTime - heldMs * 1000;
  let micros = startTime;
  for (const [index, id] of samples.entries()) {
    micros += timeDeltas[index];
    if (micros < fromMicros) continue;
    const ms = (timeDeltas[index + 1] ?? endTime - micros) / 1000;
    for (let at = id; at !== undefined; at = parents.get(at)) byId.get(at).ms += ms;
  }
  const lines = [];
  const show = (node, depth) => {
    lines.push(`${'  '.repeat(depth)}${node.ms.toFixed(0)} ms ${nameOf(node.callFrame)}`);
    for (const child of partsOf(node)) show(child, depth + 1);
  };
  const partsOf = ({ children = [] }) =>
    children
      .map((id) => byId.get(id))
      .filter(({ ms, callFrame }) => ms >= heldMs * toldShare && callFrame.functionName !== '(idle)')
      .sort((a, b) => b.ms - a.ms);
  for (const child of partsOf(byId.get(nodes[0].id))) show(child, 0);
  return lines;
}

function nameOf({ functionName, url, lineNumber }) {
  const file = url.slice(url.lastIndexOf('/') + 1);
  return file === '' ? functionName : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}
