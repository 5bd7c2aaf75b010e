/**
 * Owns: the pages that show no question: why not, and what the reader can do about it.
 */

import { Layout } from "./layout.tsx";

/** What is known of a link or a request that leads to no question. */
export type NoticeName =
  | "notFound"
  | "expired"
  | "tooManyTries"
  | "foreignOrigin"
  | "wrongMethod"
  | "tooLarge"
  | "unreadable"
  | "notConfigured"
  | "unavailable"
  | "failed";

interface Notice {
  readonly title: string;
  readonly text: string;
}

const NOTICES: Readonly<Record<NoticeName, Notice>> = {
  notFound: {
    title: "There is no question here",
    text: "The link may have been cut short on its way to you, or the question was given to somebody else. Open the link again from the message that it came in.",
  },
  expired: {
    title: "This link has expired",
    text: "It was good for a limited time. If the question still matters, ask whoever sent you the link for a new one.",
  },
  tooManyTries: {
    title: "Too many tries",
    text: "This link was used very often in the last minute. Wait a minute, go back, and send your answer again.",
  },
  foreignOrigin: {
    title: "This came from another site",
    text: "An answer is taken only from the page of its own link, and nothing was recorded. Open the link itself and answer there.",
  },
  wrongMethod: {
    title: "This page can only be opened or answered",
    text: "Nothing was recorded. Open the link in a browser.",
  },
  tooLarge: {
    title: "This is too much",
    text: "What was sent is larger than an answer can be, and nothing was recorded. Go back and make it shorter.",
  },
  unreadable: {
    title: "This could not be read",
    text: "What was sent is not this page’s form, and nothing was recorded. Go back and try again.",
  },
  notConfigured: {
    title: "Links are not set up here",
    text: "Whoever runs this Holdpoint has to set the secret LINK_SECRET before questions can be opened by a link.",
  },
  unavailable: {
    title: "The question can’t be reached just now",
    text: "Your answer may or may not have been recorded. Try again in a moment: sending the same answer twice does no harm.",
  },
  failed: {
    title: "Something went wrong on our side",
    text: "It has been noted. Try again in a moment: sending the same answer twice does no harm.",
  },
};

export function NoticePage({ name }: { readonly name: NoticeName }) {
  const { title, text } = NOTICES[name];
  return (
    <Layout title={`${title} · Holdpoint`}>
      <div class="sheet dead-end">
        <h1>{title}</h1>
        <p>{text}</p>
      </div>
    </Layout>
  );
}
