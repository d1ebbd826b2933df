import { type Actor, type OwnRights, type Person, recordAudit } from "@lango/access";
import { requireOutlet } from "@lango/chassis";
import { type Database, inTenant, type OutletScope } from "@lango/postgres";
import { failures } from "../failures.ts";
import { type Pos, requesterOf } from "../pos.ts";
import { lockPin, type PinOutlet, recordPin, removePin } from "./pin.store.ts";
import { resetAttempts } from "./pin-attempt.store.ts";
import { resetFailures } from "./pin-failure.store.ts";

/** The person whose PIN changes, and the caller who changes it. */
export type PinChange = {
	tenantId: string;
	/** The person's id at the sign-on service. */
	subject: string;
	actor: Actor;
	/**
	 * Returns the caller's rights at an outlet, null: in the whole tenant. Throws 403 `forbidden` if they may
	 * not do this there.
	 */
	rightsAt: (outletId: string | null) => OwnRights;
	/** Throws 403 `outlet_forbidden` for an outlet outside of the caller's scope; null: every outlet. */
	requireInScope: (outletId: string | null) => void;
	/** The caller's outlets. */
	scope: OutletScope;
	/** The PIN is the caller's own: a PIN that is set already keeps its outlet. */
	isOwn?: true;
	origin: { requestId: string; address: string };
};

/** The new PIN. */
export type PinRequest = { pin: string; outlet: PinOutlet };

/**
 * Sets a person's PIN. Ends the sessions of the previous PIN and clears its failure counts. Returns the
 * outlet where the PIN is valid, null: every outlet. Throws `user_not_found`, `user_holds_more`,
 * `outlet_not_found`, `pin_sign_in_busy`, `too_many_sign_ins`, `forbidden`, `outlet_forbidden`.
 */
export async function setPin(
	pos: Pos,
	{ pin, outlet }: PinRequest,
	change: PinChange,
): Promise<string | null> {
	const { db, now, hashing } = pos;
	const { tenantId, actor } = change;
	const person = await getPerson(pos, change);
	const { userId } = person;
	const requireAllowed = async (tx: Database) => {
		const known = await lockPin(tx, { tenantId, userId });
		for (const outletId of outletsBeforeAndAfter(known, outlet)) {
			requireRightsOver(person, outletId, change);
			if (known === undefined || change.isOwn !== true) change.requireInScope(outletId);
		}
		return { wasSet: known !== undefined };
	};
	await inTenant(db, tenantId, requireAllowed);
	const requester = requesterOf({
		tenant: tenantId,
		subject: change.subject,
		address: change.origin.address,
	});
	const pinHash = await hashing.withShare(requester, (share) => share.hash(pin));
	return inTenant(db, tenantId, async (tx) => {
		const { wasSet } = await requireAllowed(tx);
		if (outlet.id !== null)
			await requireOutlet(tx, { tenantId, outletId: outlet.id }, { field: "outlet_id", in: "body" });
		const outletId = await recordPin(tx, { tenantId, userId, pinHash, outlet, setBy: actor.id, now: now() });
		await resetFailures(tx, { tenantId, userId });
		await resetAttempts(tx, { tenantId, userId });
		const detail = { was_set: wasSet, outlet_id: outletId };
		await audit(tx, { change, now: now(), action: "pin.set", detail });
		return outletId;
	});
}

/**
 * Removes a person's PIN and ends its sessions. Throws `user_not_found`, `user_holds_more`, `pin_not_found`,
 * `forbidden`.
 */
export async function deletePin(pos: Pos, change: PinChange): Promise<void> {
	const { db, now } = pos;
	const person = await getPerson(pos, change);
	const key = { tenantId: change.tenantId, userId: person.userId };
	await inTenant(db, change.tenantId, async (tx) => {
		const known = await lockPin(tx, key);
		if (known === undefined || !isVisible(known, change)) throw failures.pin_not_found();
		requireRightsOver(person, known.outletId, change);
		await removePin(tx, key);
		await resetFailures(tx, key);
		await resetAttempts(tx, key);
		await audit(tx, { change, now: now(), action: "pin.removed", detail: {} });
	});
}

async function getPerson({ access }: Pos, { tenantId, subject }: PinChange): Promise<Person> {
	const person = await access.findPerson(tenantId, subject);
	if (person === undefined || person.status === "deleted" || person.status === "removed")
		throw failures.user_not_found();
	return person;
}

/** A caller cannot see a PIN that is valid only at an outlet outside of their scope. */
const isVisible = ({ outletId }: { outletId: string | null }, { scope }: PinChange) =>
	scope === "all" || outletId === null || scope.includes(outletId);

/** The outlets where a PIN is valid before and after the change. The caller needs the right at both. */
const outletsBeforeAndAfter = (known: { outletId: string | null } | undefined, { id, isKept }: PinOutlet) => {
	if (known === undefined) return [id];
	return isKept ? [known.outletId] : [known.outletId, id];
};

/**
 * The caller needs every permission of the person, because with the PIN the caller could sign in as the
 * person.
 */
function requireRightsOver({ grants }: Person, outletId: string | null, { rightsAt }: PinChange): void {
	const may = rightsAt(outletId);
	if (!grants.every(({ permissions }) => permissions.every(may))) throw failures.user_holds_more();
}

type AuditEntry = { change: PinChange; now: Date; action: string; detail: Record<string, unknown> };

const audit = (tx: Database, { change, now, action, detail }: AuditEntry) =>
	recordAudit(tx, {
		tenantId: change.tenantId,
		at: now,
		actor: change.actor,
		action,
		subject: change.subject,
		detail,
		...change.origin,
	});
