interface RunButtonProps {
  readonly isRunning: boolean;
  readonly onRun: () => void;
  readonly onCancel: () => void;
  readonly isDisabled?: boolean;
  readonly title?: string;
  /** What follows the word Cancel. */
  readonly elapsed?: string;
}

/** Runs, and cancels what runs. It is one button, so that the second press of a double click is known, which would cancel. */
export function RunButton({ isRunning, onRun, onCancel, isDisabled = false, title, elapsed = '' }: RunButtonProps) {
  return (
    <button
      type="button"
      className={isRunning ? '' : 'primary'}
      disabled={!isRunning && isDisabled}
      title={title}
      onClick={({ detail: presses }) => {
        if (presses > 1) return;
        if (isRunning) onCancel();
        else onRun();
      }}
    >
      {isRunning ? `Cancel ${elapsed}`.trim() : 'Run'}
    </button>
  );
}
