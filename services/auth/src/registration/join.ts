import type { Joined } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceUser } from "../members/announce-user.ts";
import { isKnown } from "../memberships/membership-state.ts";
import { findPerson } from "../users/person.store.ts";
import { enterTenant } from "./enter-tenant.ts";
import { findJoinTarget } from "./join-target.ts";
import { joinedOf } from "./joined.ts";

export type Joining = {
	userId: string;
	tenantSlug: string | undefined;
	invitation: string | undefined;
	requestedRole: "member" | "rider" | undefined;
};

type Needs = Pick<Dependencies, "db" | "settings">;

/**
 * Makes a registered user a member of another tenant. Throws the failures of `findJoinTarget` and
 * `enterTenant`, and `session_ended` for a disabled or erased user.
 */
export async function join(
	dependencies: Needs,
	{ userId, tenantSlug, invitation, requestedRole }: Joining,
	origin: Origin,
): Promise<Joined> {
	const { db } = dependencies;
	const user = await findPerson(db, userId);
	if (user === undefined || !isKnown(user)) throw failures.session_ended();
	const { emailFolded } = user;
	const input = { tenantSlug, invitation, requestedRole, emailFolded, now: origin.now };
	const target = await findJoinTarget(dependencies, input);
	const { tenant } = target;
	const entered = await inTenant(db, tenant.id, async (tx) => {
		const how = await enterTenant(tx, { target, user, origin });
		// Checked again, because the user is locked only now.
		const locked = await findPerson(tx, userId);
		if (locked === undefined || !isKnown(locked)) throw failures.session_ended();
		await announceUser(tx, { userId, tenantId: tenant.id, origin });
		return how;
	});
	return joinedOf(user, { tenant, entered });
}
