import { type Database, inTenant } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import { findActivePerson, listPeopleWithRole } from "../recipients/recipient.store.ts";
import { type RolePeople, RolePeopleUnavailable } from "../recipients/role-people.ts";
import { type Context, readPath } from "./trigger.ts";

/** Someone who gets the messages of a run. */
export type Person = {
	/** The user's id, or what the person is in the event: the key under which a message is made once. */
	key: string;
	name: string;
	locale?: string;
	/** A person of this tenant, who has addresses here. */
	user?: { id: string; tenantId: string };
	email?: string;
	phone?: string;
};

/** The most recipients of a run. */
const peopleMax = 200;

/** The recipients of a run, and whether there are more than a run may have. */
export type Recipients = { people: Person[]; isCut: boolean };

type About = {
	recipients: readonly string[];
	context: Context;
	tenantId: string;
	/** The tenant of the platform owner. */
	platformId: string;
};
/** What finding recipients needs. */
export type Knowing = { db: Database; rolePeople: RolePeople };

/**
 * Lists the recipients of an event by a rule, each once, at most 200. Throws `RolePeopleUnavailable` if no
 * person with the role is known and the sign-on service is not reachable.
 */
export async function listRecipients(parts: Knowing, about: About): Promise<Recipients> {
	const lists: Person[][] = [];
	for (const wanted of about.recipients) lists.push(await listOf(parts, wanted, about));
	const byKey = new Map(lists.flat().map((person) => [person.key, person]));
	return { people: [...byKey.values()].slice(0, peopleMax), isCut: byKey.size > peopleMax };
}

async function listOf(parts: Knowing, wanted: string, about: About): Promise<Person[]> {
	const { db } = parts;
	const { context, tenantId, platformId } = about;
	const [kind = "", name = ""] = wanted.split(":");
	if (kind === "role") return listByRole(parts, { tenantId, roles: [name] });
	if (kind === "platform") return listByRole(parts, { tenantId: platformId, roles: ["admin", "superuser"] });
	if (kind === "user") return findUser(db, { tenantId, id: name });
	if (kind === "event.user") return findUser(db, { tenantId, id: readText(context, "event.user_id") });
	const place = kind === "event.customer" ? "event.customer" : "event";
	const email = readText(context, `${place}.email`);
	const phone = readText(context, `${place}.phone`);
	const locale = readText(context, `${place}.locale`);
	return [
		{
			key: kind,
			name: readText(context, `${place}.name`) ?? email ?? "",
			...(email !== undefined && { email }),
			...(phone !== undefined && { phone }),
			...(locale !== undefined && { locale }),
		},
	];
}

async function listByRole(
	{ db, rolePeople }: Knowing,
	{ tenantId, roles }: { tenantId: string; roles: readonly string[] },
): Promise<Person[]> {
	let isAway: RolePeopleUnavailable | undefined;
	for (const role of roles)
		await rolePeople.learn(tenantId, role).catch((error) => {
			if (!(error instanceof RolePeopleUnavailable)) throw error;
			isAway = error;
		});
	// One more, so that a list that is cut is noticed.
	const people = await inTenant(db, tenantId, (tx) =>
		listPeopleWithRole(tx, { roles, limit: peopleMax + 1 }),
	);
	if (people.length === 0 && isAway !== undefined) throw isAway;
	return people.map((person) => toPerson(person, tenantId));
}

async function findUser(
	db: Database,
	{ tenantId, id }: { tenantId: string; id: string | undefined },
): Promise<Person[]> {
	const found =
		id === undefined
			? undefined
			: await inTenant(db, tenantId, (tx) => findActivePerson(tx, { tenantId, id }));
	return found === undefined ? [] : [toPerson(found, tenantId)];
}

const toPerson = ({ id, name }: { id: string; name: string }, tenantId: string): Person => ({
	key: id,
	name,
	user: { id, tenantId },
});

function readText(context: Context, path: string): string | undefined {
	const value = readPath(context, path);
	return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the address of a person on a channel; undefined if the event names none. */
export function addressOn(channel: Channel, { user, email, phone }: Person): string | undefined {
	if (user !== undefined) return `user:${user.id}`;
	if (channel === "email") return email;
	return channel === "sms" || channel === "whatsapp" ? phone : undefined;
}
