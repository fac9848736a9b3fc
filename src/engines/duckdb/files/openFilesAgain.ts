import type { SealedFileRecord } from '../../../ports/fileManifest.ts';
import { EngineDied, engineDeath, engineLostAtStart, startAttemptsMax } from '../host/engineFailure.ts';
import type { EngineSupervisor } from '../host/engineSupervisor.ts';
import type { FolderContents } from './eventFilePaths.ts';
import type { RecoverFilesOptions } from './eventFileStoreOptions.ts';
import { type OpenedFiles, openFiles } from './recoverFiles.ts';

/** What the folder and the manifest hold. */
interface Stored {
  readonly found: FolderContents;
  readonly records: readonly SealedFileRecord[];
  readonly dropped: readonly number[];
}

/**
 * Opens the segments of a start, and begins again if the engine process ends meanwhile. `adopt` is called while the process
 * that has them runs, and takes them over at once: the supervisor attaches them in whatever process comes after it.
 *
 * @throws UnreadableStorage if `startAttemptsMax` processes ended
 */
export async function openFilesAgain(
  supervisor: Pick<EngineSupervisor, 'ready'>,
  options: RecoverFilesOptions,
  stored: Stored,
  adopt: (opened: OpenedFiles) => void,
): Promise<void> {
  let { found, records, dropped } = stored;
  for (let attempt = 1; ; attempt++) {
    const engine = await supervisor.ready();
    try {
      const opened = await openFiles(engine, options, found, records, dropped);
      if (engine.hasEnded) throw new EngineDied(await engine.ended);
      adopt(opened);
      return;
    } catch (error) {
      const death = engineDeath(error);
      if (death === undefined) throw error;
      if (attempt >= startAttemptsMax) throw death === error ? engineLostAtStart(death) : error;
      options.observe({
        kind: 'warning',
        message: 'the engine process ended while the segments were opened; they are opened again in a new one',
        cause: error,
      });
    }
    await engine.ended;
    // The attempt may have moved segments.
    const { folder, manifest } = options;
    [found, records, dropped] = await Promise.all([folder.read(), manifest.load(), manifest.loadDropped()]);
  }
}
