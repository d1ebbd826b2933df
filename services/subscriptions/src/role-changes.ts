import { type Hearing, hearAgain } from "@lango/chassis";
import { type AccessTokenClaims, authUserUpdated, type EventEnvelope } from "@lango/contracts";
import type { Static } from "typebox";

/** Longer than any access token lives, with what an event's time is behind: after that its expiry refuses it. */
const retentionMs = 6 * 3_600_000 + 120_000;
/** While a change was under way a token may have been signed from what was before: tokens of the next moments are overtaken, too. */
const outdatedForMs = 30_000;
const peopleMax = 200_000;
/** Roles by which something may be done here (`rights.ts`). */
const ruling: readonly string[] = ["admin", "superuser"];

type RoleChange = { isActive: boolean; roles: readonly string[]; version: number; changedUntilMs: number };
type Claims = Pick<AccessTokenClaims, "sub" | "tenant_id" | "roles" | "user_status" | "iat">;

/** What events told of people since their tokens may have been issued, as far as this process has heard. */
export type RoleChanges = {
	/** Remembers how a person stands in the tenant of the envelope; what is older than that is dropped. */
	add(event: EventEnvelope<Static<typeof authUserUpdated.data>>): void;
	/** Whether an event after the token's issue took away a role it rules by, or the person's place in the tenant. */
	isOutdated(claims: Claims): boolean;
};

/** Makes an empty memory. When it is full the oldest go first: their tokens have the least left to live. */
function createRoleChanges({ now }: { now: () => Date }): RoleChanges {
	const people = new Map<string, RoleChange>();
	const removeOld = () => {
		const oldest = now().getTime() - retentionMs;
		for (const [key, { changedUntilMs }] of people) {
			if (people.size <= peopleMax && changedUntilMs >= oldest) return;
			people.delete(key);
		}
	};
	return {
		add({ tenantid, time, data: { user_id: userId, status, roles, version } }) {
			if (tenantid === undefined) return;
			const key = keyOf(tenantid, userId);
			const known = people.get(key);
			if (known !== undefined && known.version >= version) return;
			people.delete(key);
			people.set(key, {
				isActive: status === "active",
				roles,
				version,
				changedUntilMs: Date.parse(time) + outdatedForMs,
			});
			removeOld();
		},
		isOutdated({ sub, tenant_id: tenantId, roles = [], user_status: status = "active", iat }) {
			if (tenantId === undefined) return false;
			const change = people.get(keyOf(tenantId, sub));
			if (change === undefined || change.changedUntilMs <= iat * 1_000) return false;
			if (!change.isActive) return status === "active";
			return roles.some((role) => ruling.includes(role) && !change.roles.includes(role));
		},
	};
}

const keyOf = (tenantId: string, userId: string) => `${tenantId} ${userId}`.toLowerCase();

/**
 * Hears of roles that are taken while tokens still name them. Every process hears for itself; it is not ready before it
 * has read what was told while it was not there.
 */
export async function subscribeToRoleChanges(context: Hearing): Promise<RoleChanges["isOutdated"]> {
	const change = createRoleChanges({ now: context.now });
	await hearAgain(context, {
		name: "roles",
		eventType: authUserUpdated,
		rememberMs: retentionMs,
		deliver: change.add,
	});
	return change.isOutdated;
}
