import { CopyButton } from './CopyButton.tsx';
import { sendingLine } from './curl.ts';

/** The line for a shell that sends an event to a source, to copy. */
export function SendingLine({
  source,
  project = 'my-project',
}: {
  readonly source: string;
  readonly project?: string;
}) {
  const line = sendingLine(source, { project, event_message: 'hello' });
  return (
    <section className="snippet" aria-label="Send an event">
      <pre tabIndex={0}>{line}</pre>
      <CopyButton text={line} />
    </section>
  );
}
