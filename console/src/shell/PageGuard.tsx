import { Component, type ReactNode } from 'react';

interface PageGuardProps {
  /** Another place is tried anew. */
  readonly place: string;
  readonly children: ReactNode;
}

interface PageGuardState {
  readonly failed: { readonly error: Error; readonly place: string } | null;
}

/** Says in place of a page why it cannot be shown. The rail stays, and leads to the others. */
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
