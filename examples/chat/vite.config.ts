/** On one's own machine the development server stands in for the page's Worker, with the key of `npm run dev`. */

import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  build: { target: "es2024" },
  server: {
    proxy: {
      "/api/chat": {
        target: process.env["HOLDPOINT_URL"] ?? "http://localhost:8787",
        rewrite: (path) => path.replace("/api", "/v1"),
        headers: { authorization: "Bearer dev-key" },
      },
    },
  },
});
