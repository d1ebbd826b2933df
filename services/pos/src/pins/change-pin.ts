import { type Actor, type OwnRights, type Person, recordAudit } from "@lango/access";
import { requireOutlet } from "@lango/chassis";
import { type Database, inTenant, type OutletScope } from "@lango/postgres";
import { failures } from "../failures.ts";
import { type Pos, requesterOf } from "../pos.ts";
import { lockPin, type PinOutlet, recordPin, removePin } from "./pin.store.ts";
import { forgetAttempts } from "./pin-attempt.store.ts";
import { forgetFailures } from "./pin-failure.store.ts";

/** Whose PIN, by whom, from where. */
export type PinChange = {
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	actor: Actor;
	/** What the caller may do at an outlet, null: in the whole tenant. Throws 403 `forbidden` where they may not do this. */
	rightsAt: (outletId: string | null) => OwnRights;
	/** Throws 403 `outlet_forbidden` for an outlet outside of the caller's scope; null: every outlet. */
	requireInScope: (outletId: string | null) => void;
	/** The caller's outlets. */
	scope: OutletScope;
	/** The PIN is the caller's own: one that is set already stays good where it is. */
	isOwn?: true;
	origin: { requestId: string; address: string };
};

/** The new PIN. */
export type PinWish = { pin: string; outlet: PinOutlet };

/**
 * Sets a person's PIN; what was signed in with the one before has ended, and wrong ones of before are forgotten. Throws
 * `user_not_found`, `user_holds_more`, `outlet_not_found`, `pin_sign_in_busy`, `too_many_sign_ins`, `forbidden`, `outlet_forbidden`. Returns the
 * outlet it is good at.
 */
export async function setPin(pos: Pos, { pin, outlet }: PinWish, change: PinChange): Promise<string | null> {
	const { db, now, hashing } = pos;
	const { tenantId, actor } = change;
	const person = await getPerson(pos, change);
	const { userId } = person;
	const requireReach = async (tx: Database) => {
		const known = await lockPin(tx, userId);
		for (const place of placesOf(known, outlet)) {
			requireRightsOver(person, place, change);
			if (known === undefined || change.isOwn !== true) change.requireInScope(place);
		}
	};
	await inTenant(db, tenantId, requireReach);
	const requester = requesterOf({
		tenant: tenantId,
		subject: change.subject,
		address: change.origin.address,
	});
	const pinHash = await hashing.withShare(requester, (share) => share.hash(pin));
	return inTenant(db, tenantId, async (tx) => {
		await requireReach(tx);
		if (outlet.id !== null) await requireOutlet(tx, outlet.id, { field: "outlet_id", in: "body" });
		const set = await recordPin(tx, { tenantId, userId, pinHash, outlet, setBy: actor.id, now: now() });
		await forgetFailures(tx, userId);
		await forgetAttempts(tx, userId);
		const detail = { was_set: set.wasSet, outlet_id: set.outletId };
		await audit(tx, { change, now: now(), action: "pin.set", detail });
		return set.outletId;
	});
}

/** Takes a person's PIN away; what was signed in with it has ended. Throws `user_not_found`, `user_holds_more`, `pin_not_found`, `forbidden`. */
export async function takePin(pos: Pos, change: PinChange): Promise<void> {
	const { db, now } = pos;
	const person = await getPerson(pos, change);
	const { userId } = person;
	await inTenant(db, change.tenantId, async (tx) => {
		const known = await lockPin(tx, userId);
		if (known === undefined || !isSeen(known, change)) throw failures.pin_not_found();
		requireRightsOver(person, known.outletId, change);
		await removePin(tx, userId);
		await forgetFailures(tx, userId);
		await forgetAttempts(tx, userId);
		await audit(tx, { change, now: now(), action: "pin.removed", detail: {} });
	});
}

async function getPerson({ access }: Pos, { tenantId, subject }: PinChange): Promise<Person> {
	const person = await access.findPerson(tenantId, subject);
	if (person === undefined || person.status === "deleted" || person.status === "removed")
		throw failures.user_not_found();
	return person;
}

/** A PIN that is good at one outlet outside of the caller's is not found. */
const isSeen = ({ outletId }: { outletId: string | null }, { scope }: PinChange) =>
	scope === "all" || outletId === null || scope.includes(outletId);

/** Where a PIN is good before it is set and after: whoever sets it changes what it opens at both. */
const placesOf = (known: { outletId: string | null } | undefined, { id, isKept }: PinOutlet) => {
	if (known === undefined) return [id];
	return isKept ? [known.outletId] : [known.outletId, id];
};

/** Nobody changes a PIN where they may not, nor gets that of somebody who may do more, wherever: it would be the way to act as them. */
function requireRightsOver({ grants }: Person, place: string | null, { rightsAt }: PinChange): void {
	const may = rightsAt(place);
	if (!grants.every(({ permissions }) => permissions.every(may))) throw failures.user_holds_more();
}

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
