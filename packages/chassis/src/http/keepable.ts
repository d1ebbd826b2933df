import type { FastifyInstance } from "fastify";
import { chassisFailures, type Failure } from "../request/failure.ts";

const depthMax = 50;

/**
 * Refuses values that a database cannot store unchanged, anywhere in a request: the character U+0000,
 * unpaired surrogates, numbers out of range, and bodies nested more than fifty levels. A schema does not
 * check these, and they would cause a database error or be stored as another value.
 */
export function installKeepable(app: FastifyInstance): void {
	app.addHook("preValidation", ({ params, query, body }, _reply, done) => {
		requireKeepable("params", params);
		requireKeepable("query", query);
		requireKeepable("body", body);
		done();
	});
}

function requireKeepable(place: string, value: unknown): void {
	// Bytes contain no text or numbers to check.
	if (value === undefined || value instanceof Uint8Array) return;
	const fault = faultOf(value, top);
	if (fault !== undefined) throw refusal(place, fault);
}

const top: readonly string[] = [];

type Fault = { path: readonly string[]; what: string };

function faultOf(value: unknown, path: readonly string[]): Fault | undefined {
	if (typeof value === "string") return isKeepable(value) ? undefined : { path, what: unkeepable };
	if (typeof value === "number")
		return Number.isFinite(value) ? undefined : { path, what: "is a number out of range" };
	return typeof value === "object" && value !== null ? faultWithin(value, path) : undefined;
}

function faultWithin(value: object, path: readonly string[]): Fault | undefined {
	if (path.length >= depthMax)
		return { path: path.slice(0, 1), what: `is nested more than ${depthMax} deep` };
	for (const name of Object.keys(value)) {
		if (!isKeepable(name)) return { path, what: `has a member whose name ${unkeepable}` };
		const member: unknown = (value as Record<string, unknown>)[name];
		if (typeof member === "string" && isKeepable(member)) continue;
		const fault = faultOf(member, [...path, name]);
		if (fault !== undefined) return fault;
	}
	return undefined;
}

const unkeepable = "contains an invalid character (U+0000 or an unpaired surrogate)";
const isKeepable = (text: string) => text.isWellFormed() && !text.includes("\0");

function refusal(place: string, { path, what }: Fault): Failure {
	const field = path.join(".").slice(0, 200) || place;
	return chassisFailures.invalid_input({
		message: `${path.length === 0 ? `The ${place}` : field} ${what}.`,
		fields: { field, in: place },
	});
}
