import type { Address } from "./bring-up.ts";
import type { DemoPerson } from "./parts.ts";

/** Returns the text at the end of the output of `npm start`: the addresses, and the users for sign-in. */
export function describePlatform(
	addresses: readonly Address[],
	people: readonly DemoPerson[],
	password: string,
): string {
	const rows = [
		...addresses.map(({ title, url }) => [title, url] as const),
		["", ""] as const,
		...people.map(({ who, what }) => [who, what] as const),
	];
	const width = Math.max(...rows.map(([left]) => left.length)) + 2;
	const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`.trimEnd());
	return [
		"",
		...lines,
		"",
		`  Everyone's password is ${password}. Ctrl-C stops everything.`,
		"",
		"Lango is ready",
		"",
	].join("\n");
}
