import { type SubscriptionContext, subscribeWithReplay } from "@lango/chassis";
import { type AccessTokenClaims, authUserUpdated, type EventEnvelope } from "@lango/contracts";
import type { Static } from "typebox";

/**
 * Longer than the lifetime of an access token plus the delay of an event: after that the token has expired.
 */
const retentionMs = 6 * 3_600_000 + 120_000;
/**
 * A token may be signed with the old roles while a change is in progress, so tokens issued up to 30 s later
 * are outdated, too.
 */
const outdatedForMs = 30_000;
const usersMax = 200_000;
/** The roles that grant rights in this service (`rights.ts`). */
const grantingRoles: readonly string[] = ["admin", "superuser"];

type RoleChange = { isActive: boolean; roles: readonly string[]; version: number; changedUntilMs: number };
type Claims = Pick<AccessTokenClaims, "sub" | "tenant_id" | "roles" | "user_status" | "iat">;

/** The role changes of users since their tokens may have been issued, as received by this process. */
export type RoleChanges = {
	/** Stores a user's roles and status in the tenant of the event, unless a later version is stored. */
	add(event: EventEnvelope<Static<typeof authUserUpdated.data>>): void;
	/**
	 * Whether a change after the token's issue revoked one of its granting roles, or deactivated the user in
	 * the tenant.
	 */
	isOutdated(claims: Claims): boolean;
};

/** Creates an empty list. When it is full the oldest entries are removed: their tokens expire first. */
function createRoleChanges({ now }: { now: () => Date }): RoleChanges {
	const users = new Map<string, RoleChange>();
	const removeOld = () => {
		const oldest = now().getTime() - retentionMs;
		for (const [key, { changedUntilMs }] of users) {
			if (users.size <= usersMax && changedUntilMs >= oldest) return;
			users.delete(key);
		}
	};
	return {
		add({ tenantid, time, data: { user_id: userId, status, roles, version } }) {
			if (tenantid === undefined) return;
			const key = keyOf(tenantid, userId);
			const known = users.get(key);
			if (known !== undefined && known.version >= version) return;
			users.delete(key);
			users.set(key, {
				isActive: status === "active",
				roles,
				version,
				changedUntilMs: Date.parse(time) + outdatedForMs,
			});
			removeOld();
		},
		isOutdated({ sub, tenant_id: tenantId, roles = [], user_status: status = "active", iat }) {
			if (tenantId === undefined) return false;
			const change = users.get(keyOf(tenantId, sub));
			if (change === undefined || change.changedUntilMs <= iat * 1_000) return false;
			if (!change.isActive) return status === "active";
			return roles.some((role) => grantingRoles.includes(role) && !change.roles.includes(role));
		},
	};
}

const keyOf = (tenantId: string, userId: string) => `${tenantId} ${userId}`.toLowerCase();

/**
 * Subscribes to role changes. Every process has its own subscription, and is ready only after it has read the
 * events it missed.
 */
export async function subscribeToRoleChanges(
	context: SubscriptionContext,
): Promise<RoleChanges["isOutdated"]> {
	const changes = createRoleChanges({ now: context.now });
	await subscribeWithReplay(context, {
		name: "roles",
		eventType: authUserUpdated,
		rememberMs: retentionMs,
		deliver: changes.add,
	});
	return changes.isOutdated;
}
