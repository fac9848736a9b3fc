import { describe, expect, it } from 'vitest';
import { attributeCrash, type Involved } from './crashAttribution.ts';

const bytesMax = 1000;

const involved = (some: Partial<Involved> = {}): Involved => ({
  isSuspect: false,
  isStuck: false,
  bytesBefore: 100,
  processEnds: 0,
  ...some,
});

describe('a process that outgrew its memory', () => {
  it('is the doing of the only statement that ran', () => {
    const only = involved();
    expect(attributeCrash('memory', [only], bytesMax)).toEqual({ guilty: new Set([only]), suspects: [] });
  });

  it('can be the doing of each that ran while it grew, and not of one that began at its end', () => {
    const runaway = involved({ bytesBefore: 100 });
    const beside = involved({ bytesBefore: 500 });
    const late = involved({ bytesBefore: 900 });
    expect(attributeCrash('memory', [late, runaway, beside], bytesMax)).toEqual({
      guilty: new Set(),
      suspects: [runaway, beside],
    });
  });

  it('is the doing of a suspect the second time, with innocent ones beside it', () => {
    const runaway = involved({ isSuspect: true });
    const beside = involved();
    const late = involved({ isSuspect: true, bytesBefore: 900 });
    expect(attributeCrash('memory', [beside, late, runaway], bytesMax)).toEqual({
      guilty: new Set([runaway]),
      suspects: [],
    });
  });

  it('makes a suspect of one that is there a second time, although it began late and another ended the process', () => {
    const runaway = involved({ isSuspect: true, processEnds: 1 });
    const late = involved({ bytesBefore: 900, processEnds: 1 });
    const first = involved({ bytesBefore: 900 });
    expect(attributeCrash('memory', [runaway, late, first], bytesMax)).toEqual({
      guilty: new Set([runaway]),
      suspects: [late],
    });
  });

  it('suspects all where its memory is not known', () => {
    const runs = [involved({ bytesBefore: 0 }), involved({ bytesBefore: 0 })];
    expect(attributeCrash('memory', runs, bytesMax).suspects).toEqual(runs);
  });
});

describe('a process that was ended for what was spilled on a full device', () => {
  it("is nobody's doing, and makes nobody suspect", () => {
    const runs = [involved({ isSuspect: true }), involved()];
    expect(attributeCrash('disk', runs, bytesMax)).toEqual({ guilty: new Set(), suspects: [] });
  });
});

describe('a process that ended by itself', () => {
  it('makes suspects of all, whenever they began, and of one that ran alone', () => {
    const runs = [involved(), involved({ bytesBefore: 900 })];
    expect(attributeCrash(undefined, runs, bytesMax)).toEqual({ guilty: new Set(), suspects: runs });
    const only = involved();
    expect(attributeCrash(undefined, [only], bytesMax)).toEqual({ guilty: new Set(), suspects: [only] });
  });

  it('is the doing of a suspect the second time', () => {
    const suspect = involved({ isSuspect: true, bytesBefore: 900 });
    expect([...attributeCrash(undefined, [involved(), suspect], bytesMax).guilty]).toEqual([suspect]);
  });
});

describe('a process that was killed for a statement that did not stop', () => {
  it('is the doing of that one alone, and makes nobody suspect', () => {
    const stuck = involved({ isStuck: true });
    const suspect = involved({ isSuspect: true });
    expect(attributeCrash('stuck', [involved(), suspect, stuck], bytesMax)).toEqual({
      guilty: new Set([stuck]),
      suspects: [],
    });
  });
});
