import type { Joined } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceUser } from "../members/announce-user.ts";
import { findPerson } from "../users/person.store.ts";
import { findDoor } from "./door.ts";
import { enterTenant } from "./enter-tenant.ts";

export type Joining = {
	userId: string;
	tenantSlug: string | undefined;
	invitation: string | undefined;
	requestedRole: "member" | "rider" | undefined;
};

/** Takes somebody who has an identity already into one more tenant. Throws what `findDoor` and `enterTenant` throw. */
export async function join(
	dependencies: Dependencies,
	{ userId, tenantSlug, invitation, requestedRole }: Joining,
	origin: Origin,
): Promise<Joined> {
	const { db } = dependencies;
	const user = await findPerson(db, userId);
	if (user === undefined || !["active", "pending", "pending_review"].includes(user.status))
		throw failures.session_ended();
	const { emailFolded } = user;
	const asking = { tenantSlug, invitation, requestedRole, emailFolded, now: origin.now };
	const door = await findDoor(dependencies, asking);
	const { tenant } = door;
	const entered = await inTenant(db, tenant.id, async (tx) => {
		const how = await enterTenant(tx, { door, user, origin });
		await announceUser(tx, { userId, tenantId: tenant.id, origin });
		return how;
	});
	return {
		user: {
			id: user.id,
			email: user.email,
			email_verified: user.emailVerified,
			name: user.name,
			roles: [...entered.roles],
			profile: { selected_plan: user.selectedPlan },
		},
		tenant: { id: tenant.id, slug: tenant.slug, name: tenant.name },
		status: entered.status,
	};
}
