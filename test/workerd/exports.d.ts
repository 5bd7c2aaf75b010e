import type * as worker from "./worker.ts";

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof worker;
    }
  }
}
