import { authUserCreated, authUserUpdated } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import { bumpUser, findMemberScope } from "./user-version.store.ts";

/**
 * The time and the request id of a change. The events of a job have the id of the request that caused the
 * job.
 */
type Cause = Pick<Origin, "now"> & Partial<Origin>;

/**
 * Publishes the state of a user: in one tenant, or in all their tenants if the user changed. Increments the
 * version; call it after the change, in its transaction.
 */
export async function announceUser(
	tx: Database,
	{ userId, tenantId, origin }: { userId: string; tenantId?: string; origin: Cause },
): Promise<void> {
	for (const { tenant, ...data } of await bumpUser(tx, { userId, tenantId }))
		await recordEvent(tx, authUserUpdated, {
			subject: userId,
			tenantId: tenant.id,
			tenantSlug: tenant.slug,
			correlationId: origin.requestId,
			now: origin.now,
			data,
		});
}

type NewUser = {
	user: { id: string; email: string; name: string };
	tenant: { id: string; slug: string };
	/** The status and roles of the new membership. */
	entered: { roles: readonly string[]; status: string };
	origin: Cause;
};

/**
 * Records `auth.user.created` for a person and their membership. Call it after both are recorded, in their
 * transaction.
 */
export async function announceNewUser(
	tx: Database,
	{ user, tenant, entered, origin }: NewUser,
): Promise<void> {
	const { id: userId, email, name } = user;
	const scope = await findMemberScope(tx, { tenantId: tenant.id, userId });
	await recordEvent(tx, authUserCreated, {
		subject: userId,
		tenantId: tenant.id,
		tenantSlug: tenant.slug,
		correlationId: origin.requestId,
		now: origin.now,
		data: { user_id: userId, email, name, roles: [...entered.roles], status: entered.status, ...scope },
	});
}
