interface ImportMeta {
  /** Vite's, for what the tests import. */
  glob<T>(
    pattern: string,
    options: { query: string; import: "default"; eager: true },
  ): Readonly<Record<string, T>>;
}
