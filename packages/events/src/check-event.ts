import { EventEnvelope, type EventType } from "@lango/contracts";
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";

type Check = {
	Check(value: unknown): boolean;
	Errors(value: unknown): ReadonlyArray<{ instancePath: string; message: string }>;
};

/** Compiled once for each schema: a millisecond each, which a request should not pay. */
const compiled = new WeakMap<TSchema, Check>();

function checkFor(schema: TSchema): Check {
	const known = compiled.get(schema);
	if (known !== undefined) return known;
	const check = Compile(schema);
	compiled.set(schema, check);
	return check;
}

/** What came is not what was agreed on; trying again does not help. */
export class Misfit extends Error {
	override name = "Misfit";
}

/** Throws a Misfit that names the members which do not fit the schema, and never shows what they hold. */
function assertFits(what: string, schema: TSchema, value: unknown): void {
	const check = checkFor(schema);
	if (check.Check(value)) return;
	const faults = check
		.Errors(value)
		.slice(0, 5)
		.map(({ instancePath, message }) => `${instancePath || "it"} ${message}`);
	throw new Misfit(`${what} does not fit its contract: ${faults.join("; ")}`);
}

/** Throws a Misfit when the data is not what this type of event carries. Members the contract does not name are fine. */
export function assertData<S extends TSchema>(
	{ type, data: schema }: EventType<S>,
	data: unknown,
): asserts data is Static<S> {
	assertFits(`the data of ${type}`, schema, data);
}

/** Throws a Misfit when this is no event envelope. */
export function assertEnvelope(envelope: unknown): asserts envelope is EventEnvelope {
	assertFits("the event", EventEnvelope, envelope);
}
