import {
	authUserCreated,
	authUserDeleted,
	authUserDisabled,
	authUserLogin,
	authUserUpdated,
} from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { reportFleet } from "../usage/report.jobs.ts";
import { changeRider, eraseRider, recordRider, suspendRider, suspendRiderEverywhere } from "./rider.store.ts";

/**
 * Applies the sign-on service's events of people to the fleet (spec §6). A person with the role rider becomes
 * a pending rider. A person who leaves the tenant, or may no longer sign in, is suspended until an
 * administrator readmits them. Personal data of an erased person is removed.
 */
export const riderConsumers: readonly Consumer[] = [
	defineConsumer(authUserCreated, (db, { tenantid, time, data }) => link(db, { tenantid, time, ...data })),
	defineConsumer(authUserLogin, (db, { tenantid, time, data }) => link(db, { tenantid, time, ...data })),
	defineConsumer(authUserUpdated, async (db, { tenantid, time, data }) => {
		const { user_id: subject, name, email, status } = data;
		if (mayRide.has(status)) await link(db, { tenantid, time, ...data });
		const tenantId = required(tenantid);
		await inTenant(db, tenantId, async (tx) => {
			await changeRider(tx, { tenantId, subject, name, email });
			if (mayRide.has(status)) return;
			await suspendRider(tx, { tenantId, subject, now: new Date(time) });
			await enqueueJob(tx, reportFleet, { id: tenantId, tenantId });
		});
	}),
	defineConsumer(authUserDisabled, async (db, { time, data: { user_id: subject } }) => {
		for (const tenantId of await suspendRiderEverywhere(db, { subject, now: new Date(time) }))
			await enqueueJob(db, reportFleet, { id: tenantId, tenantId });
	}),
	defineConsumer(authUserDeleted, async (db, { time, data: { user_id: subject } }) => {
		for (const tenantId of await eraseRider(db, { subject, now: new Date(time) }))
			await enqueueJob(db, reportFleet, { id: tenantId, tenantId });
	}),
];

/** The user statuses of possible riders: they can sign in, or wait for approval. */
const mayRide: ReadonlySet<string> = new Set(["active", "pending", "pending_review"]);

type UserData = {
	tenantid: string | undefined;
	time: string;
	user_id: string;
	name: string;
	email: string;
	roles: readonly string[];
};

/** Adds a person with the role rider to the fleet. The event can arrive before the event of its tenant. */
async function link(db: Database, { tenantid, time, user_id, name, email, roles }: UserData): Promise<void> {
	const tenantId = required(tenantid);
	if (!roles.includes("rider")) return;
	await ensureTenant(db, tenantId);
	const rider = { tenantId, subject: user_id, name, email, now: new Date(time) };
	await inTenant(db, tenantId, (tx) => recordRider(tx, rider));
}

function required(tenantId: string | undefined): string {
	if (tenantId === undefined) throw new Error("the event has no tenantid");
	return tenantId;
}
