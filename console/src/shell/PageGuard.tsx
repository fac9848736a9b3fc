import { Component, type ReactNode } from 'react';

interface PageGuardProps {
  /** A change of place tries to show the page again. */
  readonly place: string;
  readonly children: ReactNode;
}

interface PageGuardState {
  readonly failed: { readonly error: Error; readonly place: string } | null;
}

/** Shows an error in place of a page that cannot be shown. The navigation stays usable. */
export class PageGuard extends Component<PageGuardProps, PageGuardState> {
  override state: PageGuardState = { failed: null };

  override componentDidCatch(error: Error): void {
    this.setState({ failed: { error, place: this.props.place } });
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null || failed.place !== this.props.place) return this.props.children;
    return (
      <div className="alone" role="alert">
        <h1>This page cannot be shown</h1>
        <p>A file of the console is missing, as after an upgrade of the service, or an answer was not as expected.</p>
        <p className="muted small">{failed.error.message}</p>
        <button type="button" onClick={() => location.reload()}>
          Load the console again
        </button>
      </div>
    );
  }
}
