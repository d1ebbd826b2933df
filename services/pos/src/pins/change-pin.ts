import { type Actor, mayDo, type Person, permissionsOfPerson, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { findOutlet } from "../outlets/outlet.store.ts";
import type { Pos } from "../pos.ts";
import { type PinOutlet, recordPin, removePin } from "./pin.store.ts";
import { forgetAttempts } from "./pin-attempt.store.ts";

/** Whose PIN, by whom, from where. */
export type PinChange = {
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	actor: Actor;
	/** What the caller may do; undefined: everything. */
	held: readonly string[] | undefined;
	origin: { requestId: string; address: string };
};

/** The new PIN. */
export type PinWish = { pin: string; outlet: PinOutlet };

/**
 * Sets a person's PIN; what was signed in with the one before has ended, and wrong ones of before are forgotten. Throws
 * `user_not_found`, `user_holds_more`, `outlet_not_found`, `pin_sign_in_busy`. Returns the outlet it is good at.
 */
export async function setPin(pos: Pos, { pin, outlet }: PinWish, change: PinChange): Promise<string | null> {
	const { db, now, hashing } = pos;
	const { tenantId, actor } = change;
	const { userId } = await getPerson(pos, change);
	const pinHash = await hashing.hash(pin);
	return inTenant(db, tenantId, async (tx) => {
		if (outlet.id !== null && (await findOutlet(tx, outlet.id)) === undefined)
			throw failures.outlet_not_found({ fields: { field: "outlet_id", in: "body" } });
		const set = await recordPin(tx, { tenantId, userId, pinHash, outlet, setBy: actor.id, now: now() });
		await forgetAttempts(tx, userId);
		const detail = { was_set: set.wasSet, outlet_id: set.outletId };
		await audit(tx, { change, now: now(), action: "pin.set", detail });
		return set.outletId;
	});
}

/** Takes a person's PIN away; what was signed in with it has ended. Throws `user_not_found`, `user_holds_more`, `pin_not_found`. */
export async function takePin(pos: Pos, change: PinChange): Promise<void> {
	const { db, now } = pos;
	const { userId } = await getPerson(pos, change);
	await inTenant(db, change.tenantId, async (tx) => {
		if (!(await removePin(tx, userId))) throw failures.pin_not_found();
		await forgetAttempts(tx, userId);
		await audit(tx, { change, now: now(), action: "pin.removed", detail: {} });
	});
}

/** Nobody gets the PIN of somebody who may do more: it would be the way to act as them. */
async function getPerson({ access }: Pos, { tenantId, subject, held }: PinChange): Promise<Person> {
	const person = await access.findPerson(tenantId, subject);
	if (person === undefined || person.status === "deleted" || person.status === "removed")
		throw failures.user_not_found();
	const exceeds = held !== undefined && !everywhere(person).every((code) => mayDo(held, code));
	if (exceeds) throw failures.user_holds_more();
	return person;
}

/** What the person holds in the tenant and at any outlet. */
const everywhere = (person: Person) => [
	...permissionsOfPerson(person),
	...person.grants.flatMap(({ permissions }) => permissions),
];

type Noted = { change: PinChange; now: Date; action: string; detail: Record<string, unknown> };

const audit = (tx: Database, { change, now, action, detail }: Noted) =>
	recordAudit(tx, {
		tenantId: change.tenantId,
		at: now,
		actor: change.actor,
		action,
		subject: change.subject,
		detail,
		...change.origin,
	});
