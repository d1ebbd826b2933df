/**
 * Returns a value as JSON whose members are in the order of their names, so that equal requests give equal
 * texts. Lists keep their order.
 */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_name, member: unknown) =>
		typeof member === "object" && member !== null && !Array.isArray(member)
			? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
			: member,
	);
}
