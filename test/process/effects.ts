/** Owns: a turn with effects on both sides of a person's answer, as the playground's model plays it. */

interface Effects {
  /** How the last effect is made, and after how long. */
  readonly confirm: { readonly toolName: "call_http" | "retry_http"; readonly delayMs?: number };
  /** What it says last. */
  readonly end: string;
}

/** Two effects and a question, a wait for its answer, one more effect, the end. */
export function effects(
  url: (what: "charge" | "notify" | "confirm") => string,
  { confirm: { toolName, delayMs = 0 }, end }: Effects,
): readonly object[] {
  const question = {
    question: "Go on?",
    options: [
      { id: "yes", label: "Yes" },
      { id: "no", label: "No" },
    ],
  };
  return [
    {
      calls: [
        { toolName: "call_http", input: { url: url("charge"), body: { amount: 5 } } },
        { toolName: "retry_http", input: { url: url("notify") } },
      ],
    },
    { calls: [{ toolName: "ask_person", input: question }] },
    { calls: [{ toolName: "await_tasks", input: { taskIds: ["$task:1"] } }] },
    { delayMs, calls: [{ toolName, input: { url: url("confirm") } }] },
    { text: end },
  ];
}
