import {
	authUserCreated,
	authUserDeleted,
	authUserDisabled,
	authUserLogin,
	authUserUpdated,
	tenantCreated,
	tenantUpdated,
} from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import type { Vault } from "../addresses/sealed-address.ts";
import { sealEmail } from "./ensure-recipient.ts";
import { recordErased } from "./erase-person.store.ts";
import { closePerson, type Person, recordBranding, recordPerson } from "./person.store.ts";

type User = { user_id: string; email: string; name: string; roles: string[]; status: string };
type Of = { tenantid?: string | undefined; time: string };

/**
 * Applies the sign-on service's events to recipients (identity §6), in any order and however often. A new
 * user and the first sign-in make a recipient, whose preferences are the tenant's defaults until they are
 * changed. Changes are applied by version; who was erased is never made again.
 */
export function recipientConsumers({ vault }: { vault: Vault }): readonly Consumer[] {
	const record = async (
		db: Database,
		{ tenantid, time }: Of,
		{ user_id: id, email, ...user }: User & Pick<Person, "version" | "isEmailVerified" | "locale">,
	) => {
		if (tenantid === undefined) throw new Error("the event has no tenantid");
		const { name, roles, status, version, isEmailVerified, locale } = user;
		const now = new Date(time);
		const person = { tenantId: tenantid, id, name, roles, status, version, isEmailVerified, locale, now };
		await ensureTenant(db, tenantid);
		await inTenant(db, tenantid, (tx) => recordPerson(tx, { ...person, email: sealEmail(vault, email) }));
	};
	const unversioned = { version: 0, isEmailVerified: false };
	return [
		defineConsumer(authUserCreated, (db, event) => record(db, event, { ...event.data, ...unversioned })),
		defineConsumer(authUserLogin, (db, event) => record(db, event, { ...event.data, ...unversioned })),
		defineConsumer(authUserUpdated, (db, event) =>
			record(db, event, { ...event.data, isEmailVerified: event.data.email_verified }),
		),
		defineConsumer(authUserDisabled, (db, { time, data: { user_id: id, version } }) =>
			closePerson(db, { id, version, now: new Date(time) }),
		),
		defineConsumer(authUserDeleted, async (db, { time, data: { user_id: id } }) => {
			if (await recordErased(db, { id, now: new Date(time) }))
				await enqueueJob(db, { name: "recipients.erase" }, { id });
		}),
		...[tenantCreated, tenantUpdated].map((type) =>
			defineConsumer(type, async (db, { data: { tenant_id: tenantId, branding, version } }) => {
				const { logo_url: logoUrl, colour } = branding;
				await inTenant(db, tenantId, (tx) => recordBranding(tx, { tenantId, logoUrl, colour, version }));
			}),
		),
	];
}
