import { authUserCreated, authUserDeleted, authUserLogin, authUserUpdated } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import {
	changeCustomer,
	eraseCustomer,
	recordCustomer,
	recordSignIn,
	type ToldCustomer,
} from "./customer.store.ts";

/**
 * What people ordering means to the sign-on service's events (spec §6): a new user has a profile in their tenant, a sign-in
 * makes one that is missing, a change is followed, and who is erased leaves an empty one.
 */
export const customerConsumers: readonly Consumer[] = [
	defineConsumer(authUserCreated, (db, { tenantid, time, data: { user_id: subject, name, email } }) =>
		know(db, tenantid, { subject, name, email, now: new Date(time) }),
	),
	defineConsumer(authUserLogin, async (db, { tenantid, time, data }) => {
		const { user_id: subject, name, email, at } = data;
		await know(db, tenantid, { subject, name, email, now: new Date(time) });
		await recordSignIn(db, { subject, at: new Date(at) });
	}),
	defineConsumer(authUserUpdated, (db, { tenantid, data: { user_id: subject, name, email } }) =>
		inTenant(db, required(tenantid), (tx) => changeCustomer(tx, { subject, name, email })),
	),
	defineConsumer(authUserDeleted, (db, { time, data: { user_id: subject } }) =>
		eraseCustomer(db, { subject, now: new Date(time) }),
	),
];

/** An event may come before the one that tells of its tenant. */
async function know(
	db: Database,
	tenantid: string | undefined,
	told: Omit<ToldCustomer, "tenantId">,
): Promise<void> {
	const tenantId = required(tenantid);
	await ensureTenant(db, tenantId);
	await inTenant(db, tenantId, (tx) => recordCustomer(tx, { tenantId, ...told }));
}

function required(tenantId: string | undefined): string {
	if (tenantId === undefined) throw new Error("it does not say in which tenant");
	return tenantId;
}
