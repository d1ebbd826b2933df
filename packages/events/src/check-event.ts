import { EventEnvelope, type EventType } from "@lango/contracts";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";

type Check = {
	Check(value: unknown): boolean;
	Errors(value: unknown): ReadonlyArray<{ instancePath: string; message: string }>;
};

/** Compiled validators, cached per schema: compiling takes about a millisecond. */
const compiled = new WeakMap<TSchema, Check>();

function checkFor(schema: TSchema): Check {
	const known = compiled.get(schema);
	if (known !== undefined) return known;
	const check = Compile(schema);
	compiled.set(schema, check);
	return check;
}

/** The event, or its data, does not match its contract. A retry cannot succeed. */
export class InvalidEvent extends Error {
	override name = "InvalidEvent";
}

/** Throws InvalidEvent with the names of the invalid members, but never with their values. */
function assertFits(what: string, schema: TSchema, value: unknown): void {
	const check = checkFor(schema);
	if (check.Check(value)) return;
	const faults = check
		.Errors(value)
		.slice(0, 5)
		.map(({ instancePath, message }) => `${instancePath || "it"} ${message}`);
	throw new InvalidEvent(`${what} does not fit its contract: ${faults.join("; ")}`);
}

/**
 * Throws InvalidEvent if the data does not match the contract of this event type. Additional members are
 * allowed.
 */
export function assertData<S extends TSchema>(
	{ type, data: schema }: EventType<S>,
	data: unknown,
): asserts data is Static<S> {
	assertFits(`the data of ${type}`, schema, data);
}

/** Throws InvalidEvent if the value is not an event envelope. */
export function assertEnvelope(envelope: unknown): asserts envelope is EventEnvelope {
	assertFits("the event", EventEnvelope, envelope);
}
