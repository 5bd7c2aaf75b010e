/**
 * Owns: how a channel says that it could not send: in words that are shown to whoever reads the question, so no secret,
 * no address and nothing that the other side wrote stands in them.
 */

import type { Notice } from "../core/channel.ts";

export class DeliveryFailure extends Error {
  override readonly name = "DeliveryFailure";
  /** False: the same request will fail again, so no further try is due by itself. */
  readonly retryable: boolean;
  /** The other side asked for this delay. */
  readonly retryAfterMs?: number;

  constructor(
    message: string,
    options: { readonly retryable: boolean; readonly retryAfterMs?: number },
  ) {
    super(message);
    this.retryable = options.retryable;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** Nobody can be reached: neither the notice's own recipient, nor whom the channel reaches otherwise. */
export function noAddress({ recipient }: Notice, kind: string, otherwise: string): DeliveryFailure {
  const whose =
    recipient === undefined
      ? "the question is addressed to nobody"
      : `its recipient has no ${kind}`;
  return new DeliveryFailure(`${whose}, and ${otherwise}`, { retryable: false });
}
