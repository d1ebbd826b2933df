import type { OperationName } from "../callbacks/fault-words.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Fields } from "./fields.ts";

/** A call of the API whose token is valid. */
export type Call = {
	sandbox: Sandbox;
	/** The number of the call: all ids and chances follow from it. */
	ordinal: number;
	at: Date;
	/** The key of the caller. */
	consumerKey: string;
	body: unknown;
};

/** The answer, and what the gateway does after it. What moves money has happened before the answer. */
export type Accepted = { answer: object; follow?: () => unknown };

/** An operation of the API. `accept` throws `Refusal` where the gateway refuses. */
export type Operation = {
	name: OperationName;
	/** Below `/mobilemoney`, unless it `hasNoPrefix`. */
	path: string;
	hasNoPrefix?: true;
	/** Its path in another version of the API, with the same members. */
	otherPath?: string;
	summary: string;
	fields: Fields;
	accept(call: Call): Accepted | Promise<Accepted>;
};
