import type { Member } from "@lango/contracts";

/**
 * The names of users by id, from a list that is read only as far as necessary. Users who are not in it are
 * omitted.
 */
export async function findNames(
	members: AsyncIterable<Pick<Member, "user_id" | "name">>,
	ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
	const userIds = new Set(ids);
	const names = new Map<string, string>();
	if (userIds.size === 0) return names;
	for await (const { user_id, name } of members) {
		if (userIds.has(user_id)) names.set(user_id, name);
		if (names.size === userIds.size) break;
	}
	return names;
}
