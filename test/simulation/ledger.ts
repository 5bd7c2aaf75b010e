/** Owns: the world outside as it was touched: effects, deliveries, results, and what each model was given. */

export interface Effect {
  readonly tool: string;
  readonly what: string;
  readonly idempotencyKey: string;
}

export interface ModelCall {
  /** The input of its turn. */
  readonly label: string;
  /** Model calls of the turn that are in its journal. */
  readonly steps: number;
  /** The turn's own part of what the model was given, one line for each message. */
  readonly given: readonly string[];
  answered: boolean;
}

export class Ledger {
  readonly effects: Effect[] = [];
  readonly modelCalls: ModelCall[] = [];
  /** How often each question was delivered, by its id. */
  readonly delivered = new Map<string, number>();
  /** The results that were told of each turn, by its id. */
  readonly told = new Map<string, string[]>();

  deliver(requestId: string): void {
    this.delivered.set(requestId, (this.delivered.get(requestId) ?? 0) + 1);
  }

  tell(turnId: string, status: string): void {
    this.told.set(turnId, [...(this.told.get(turnId) ?? []), status]);
  }
}
