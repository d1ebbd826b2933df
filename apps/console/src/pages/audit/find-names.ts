import type { Member } from "@lango/contracts";

/** The names of people by their id, from a list that is read no further than it takes. Who is not in it has none. */
export async function findNames(
	members: AsyncIterable<Pick<Member, "user_id" | "name">>,
	ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	const wanted = new Set(ids);
	const names = new Map<string, string>();
	if (wanted.size === 0) return names;
	for await (const { user_id, name } of members) {
		if (wanted.has(user_id)) names.set(user_id, name);
		if (names.size === wanted.size) break;
	}
	return names;
}
