import { authUserDeleted, authUserDisabled, authUserUpdated } from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { changeToldPerson, disablePerson, erasePerson } from "./told-person.store.ts";

/**
 * An event has the time of the request that made the change. While that was under way a token may have been signed from
 * what was before, so tokens of the next moments change nothing either: what changes then has an event of its own.
 */
const overtakenMs = 30_000;

export type PeopleOptions = {
	now: () => Date;
	/** The role that global roles map to (spec §2.4). */
	firstRole: (globalRoles: readonly string[]) => string;
};

/**
 * What a service does about events of people: whom it has met it keeps as they stand, with the first role that follows.
 * Whom it has not met it leaves to the token they come with (spec §5.11).
 */
export function accessConsumers({ now, firstRole }: PeopleOptions): readonly Consumer[] {
	return [
		defineConsumer(authUserUpdated, async (db, { tenantid, time, data }) => {
			if (tenantid === undefined) throw new Error("it does not say in which tenant");
			const { user_id: subject, email, name, status, roles: globalRoles, version } = data;
			const { is_hq: isHq, outlet_ids } = data;
			const outletIds = outlet_ids.map((id) => id.toLowerCase()).sort();
			const person = { subject, email, name, status, globalRoles, version, isHq, outletIds };
			await inTenant(db, tenantid, (tx) =>
				changeToldPerson(tx, {
					...person,
					firstRole: firstRole(globalRoles),
					toldUntil: toldUntil(time),
					now: now(),
				}),
			);
		}),
		defineConsumer(authUserDisabled, (db, { time, data: { user_id: subject, version } }) =>
			disablePerson(db, { subject, version, toldUntil: toldUntil(time), now: now() }),
		),
		defineConsumer(authUserDeleted, (db, { data: { user_id: subject, version } }) =>
			erasePerson(db, { subject, version, now: now() }),
		),
	];
}

const toldUntil = (time: string) => new Date(Date.parse(time) + overtakenMs);
