/**
 * In place of `hono/jsx`: the contexts that the pages use. Its hooks, its streams and its renderer for browsers, which it
 * brings with it, are bytes of the bundle that nobody reaches.
 */

export { createContext, useContext } from "../node_modules/hono/dist/jsx/context.js";
