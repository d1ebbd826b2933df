import { authUserDeleted, authUserDisabled, authUserUpdated } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { changePersonFromEvent, disablePerson, erasePerson } from "./person.store.ts";

/**
 * The time of an event is that of the request that made the change. Tokens signed during that request may
 * contain the earlier state, so tokens of the next moments are considered outdated too. Later changes have
 * their own event.
 */
const overtakenMs = 30_000;

export type PeopleOptions = {
	now: () => Date;
	/** Maps global roles to the first role (spec §2.4). */
	firstRole: (globalRoles: readonly string[]) => string;
};

/**
 * The consumers of user events. They update people known to this service, with the resulting first role.
 * Unknown people are created by their first token (spec §5.11).
 */
export function accessConsumers({ now, firstRole }: PeopleOptions): readonly Consumer[] {
	return [
		defineConsumer(authUserUpdated, async (db, { tenantid, time, data }) => {
			if (tenantid === undefined) throw new Error("the event has no tenant");
			const { user_id: subject, email, name, status, roles: globalRoles, version } = data;
			const { is_hq: isHq, outlet_ids } = data;
			const outletIds = outlet_ids.map((id) => id.toLowerCase()).sort();
			const person = { subject, email, name, status, globalRoles, version, isHq, outletIds };
			await inTenant(db, tenantid, (tx) =>
				changePersonFromEvent(tx, {
					...person,
					firstRole: firstRole(globalRoles),
					outdatedUntil: outdatedUntil(time),
					now: now(),
				}),
			);
		}),
		defineConsumer(authUserDisabled, (db, { time, data: { user_id: subject, version } }) =>
			disablePerson(db, { subject, version, outdatedUntil: outdatedUntil(time), now: now() }),
		),
		defineConsumer(authUserDeleted, (db, { data: { user_id: subject, version } }) =>
			erasePerson(db, { subject, version, now: now() }),
		),
	];
}

const outdatedUntil = (time: string) => new Date(Date.parse(time) + overtakenMs);
