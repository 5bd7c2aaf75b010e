/**
 * Owns: the question that all ask, and its answer.
 */

export const FORM = {
  questions: [
    {
      question: "Which scope?",
      header: "Scope",
      options: [
        { label: "Focused", description: "Only this." },
        { label: "Broad", description: "All of it." },
      ],
    },
  ],
};

export const FORM_ANSWER = { answers: { "Which scope?": "Focused" } };
