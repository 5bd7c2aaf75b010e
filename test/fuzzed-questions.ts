/** Owns: options and questions of a form with names that trip whoever looks them up carelessly. */

export const OPTIONS = [
  { id: "approve", label: "Approve" },
  { id: "deny", label: "Deny it" },
];
export const FORM_QUESTIONS = [
  {
    question: "Which scope?",
    header: "Scope",
    multiSelect: false,
    options: [
      { label: "Focused", description: "This." },
      { label: "Broad", description: "All." },
    ],
  },
  {
    question: "__proto__",
    header: "Odd",
    multiSelect: true,
    options: [
      { label: "constructor", description: "One." },
      { label: "toString", description: "Two." },
    ],
  },
];
