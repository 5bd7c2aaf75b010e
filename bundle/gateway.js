/**
 * In place of `@ai-sdk/gateway`, which the AI SDK asks for a model that is named by a bare string. Here such a name is
 * refused before it gets there, so the client of that gateway would be 80 KiB of the bundle that nobody reaches.
 */

const MESSAGE = "A model is given as an object here, never by its bare name.";

export class GatewayError extends Error {
  static isInstance() {
    return false;
  }
}

export class GatewayAuthenticationError extends GatewayError {}

export function createGateway() {
  return gateway;
}

export function gateway() {
  throw new GatewayError(MESSAGE);
}
