import { authUserCreated, authUserDeleted, authUserLogin, authUserUpdated } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import {
	type CustomerPerson,
	changeCustomer,
	eraseCustomer,
	recordCustomer,
	recordSignIn,
} from "./customer.store.ts";

/**
 * Applies the sign-on service's events of people to customer profiles (spec §6). A new user gets a profile in
 * their tenant, a sign-in creates a missing one, changes are copied, and the profile of an erased person is
 * emptied.
 */
export const customerConsumers: readonly Consumer[] = [
	defineConsumer(authUserCreated, (db, { tenantid, time, data: { user_id: subject, name, email } }) =>
		ensureProfile(db, tenantid, { subject, name, email, now: new Date(time) }),
	),
	defineConsumer(authUserLogin, async (db, { tenantid, time, data }) => {
		const { user_id: subject, name, email, at } = data;
		await ensureProfile(db, tenantid, { subject, name, email, now: new Date(time) });
		await recordSignIn(db, { subject, at: new Date(at) });
	}),
	defineConsumer(authUserUpdated, (db, { tenantid, data: { user_id: subject, name, email } }) =>
		inTenant(db, required(tenantid), (tx) => changeCustomer(tx, { subject, name, email })),
	),
	defineConsumer(authUserDeleted, (db, { time, data: { user_id: subject } }) =>
		eraseCustomer(db, { subject, now: new Date(time) }),
	),
];

/** Creates a profile. The event can arrive before the event of its tenant. */
async function ensureProfile(
	db: Database,
	tenantid: string | undefined,
	person: Omit<CustomerPerson, "tenantId">,
): Promise<void> {
	const tenantId = required(tenantid);
	await ensureTenant(db, tenantId);
	await inTenant(db, tenantId, (tx) => recordCustomer(tx, { tenantId, ...person }));
}

function required(tenantId: string | undefined): string {
	if (tenantId === undefined) throw new Error("the event has no tenantid");
	return tenantId;
}
