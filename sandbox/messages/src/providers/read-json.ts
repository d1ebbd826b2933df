import type { Letter } from "../record/arrival.ts";

/** The JSON object that a message came as. */
export const readSource = ({ source }: Letter): object | undefined =>
	readJson(source.slice(source.indexOf("\n\n")));

/** Parses the JSON object of a body. Returns undefined if the body is something else. */
export function readJson(body: string): object | undefined {
	try {
		const value: unknown = JSON.parse(body);
		return typeof value === "object" && value !== null ? value : undefined;
	} catch {
		return undefined;
	}
}
