import { harness } from "../fixtures/samples/loan-desk.ts";

export class Session extends harness.Session {}
export class Inbox extends harness.Inbox {}

export default harness.worker;
