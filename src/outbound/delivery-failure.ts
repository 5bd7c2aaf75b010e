/**
 * Owns: how a channel says that it could not send: in words that are shown to whoever reads the question, so no secret,
 * no address and nothing that the other side wrote stands in them.
 */

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
