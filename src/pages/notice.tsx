/**
 * Owns: the pages that show no question: why not, and what the reader can do about it. The words are their language's.
 */

import { Layout } from "./layout.tsx";
import { useWords } from "./look.ts";
import type { NoticeName } from "./wording.ts";

export function NoticePage({ name }: { readonly name: NoticeName }) {
  const { title, text } = useWords().notices[name];
  return (
    <Layout title={title}>
      <div class="sheet dead-end">
        <h1>{title}</h1>
        <p>{text}</p>
      </div>
    </Layout>
  );
}
