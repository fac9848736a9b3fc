declare module 'parse-prometheus-text-format' {
  /** Reads the text format of Prometheus. Values are texts. */
  export default function parsePrometheusTextFormat(text: string): readonly {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly { readonly value: string; readonly labels?: Readonly<Record<string, string>> }[];
  }[];
}
