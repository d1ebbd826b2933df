import type { Joined } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceUser } from "../members/announce-user.ts";
import { isKnown } from "../memberships/membership-state.ts";
import { adoptPrimaryTenant, lockPerson } from "../users/person.store.ts";
import { recordFounding, settleFounder } from "./found-tenant.ts";
import { joinedOf } from "./joined.ts";
import { type NewTenant, requireFreeNames } from "./taken.ts";

type Needs = Pick<Dependencies, "db" | "settings">;

/**
 * Creates a tenant for a registered user, who becomes its administrator; their primary tenant does not
 * change. Tenant, outlet, membership and events are written in one transaction. Throws `slug_reserved`,
 * `slug_taken`, and `session_ended` for a disabled or erased user. Call it within `countingTaken`.
 */
export async function foundFurther(
	dependencies: Needs,
	{ userId, organization }: { userId: string; organization: NewTenant },
	origin: Origin,
): Promise<Joined> {
	await requireFreeNames(dependencies, organization);
	return dependencies.db.transaction(async (outer) => {
		const tenant = await recordFounding(outer, organization);
		return inTenant(outer, tenant.id, async (tx) => {
			const user = await lockPerson(tx, userId);
			if (user === undefined || !isKnown(user)) throw failures.session_ended();
			const entered = await settleFounder(tx, { tenant, user, origin });
			await adoptPrimaryTenant(tx, { userId, tenantId: tenant.id });
			await announceUser(tx, { userId, tenantId: tenant.id, origin });
			return joinedOf(user, { tenant, entered });
		});
	});
}
