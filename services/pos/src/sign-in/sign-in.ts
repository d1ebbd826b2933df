import { randomUUID } from "node:crypto";
import { recordAudit } from "@lango/access";
import { posPinLocked } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Hashing } from "@lango/passwords";
import { inTenant } from "@lango/postgres";
import { hashSecret } from "@lango/tokens";
import { failures } from "../failures.ts";
import { findOutlet, type Outlet } from "../outlets/outlet.store.ts";
import { findPinHolder, type PinHolder } from "../pins/pin.store.ts";
import {
	type AttemptKey,
	type CountedAttempt,
	clearAttempts,
	countAttempt,
	takeBackAttempt,
} from "../pins/pin-attempt.store.ts";
import {
	type CountedFailure,
	claimLockRecord,
	countFailure,
	takeBackFailure,
} from "../pins/pin-failure.store.ts";
import { failuresMax, hourlyFailuresMax } from "../pins/pin-lock.ts";
import { type Pos, requesterAtTill, requesterOf } from "../pos.ts";
import { findTerminal } from "../terminals/terminal.store.ts";
import { recordSession } from "./terminal-session.store.ts";
import { type AtTill, atTill, lifeSeconds, signTillToken } from "./till-token.ts";

/** A till that is not revoked, with its tenant and outlet. */
export type Till = { id: string; tenant: { id: string; slug: string }; outletId: string };

/**
 * Returns the till with this token at this tenant (slug or id), undefined if not found, revoked or the tenant
 * is not active.
 */
export async function findTill(
	{ db, tenancy }: Pos,
	token: string,
	tenant: string,
): Promise<Till | undefined> {
	const found = await findTerminal(db, hashSecret(token));
	const owner = found && (await tenancy.findById(found.tenantId));
	if (found === undefined || owner === undefined || owner.status !== "active") return undefined;
	if (tenant.toLowerCase() !== owner.id && tenant !== owner.slug) return undefined;
	return { id: found.id, tenant: { id: owner.id, slug: owner.slug }, outletId: found.outletId };
}

export type PinSignIn = {
	/** The tenant's slug or id. */
	tenant: string;
	/** The till's token. */
	terminal: string;
	/** The person's id at the sign-on service. */
	subject: string;
	pin: string;
	origin: { requestId: string; address: string };
};

/** The response to a till. */
export type TillSession = {
	token: string;
	expiresInSeconds: number;
	holder: PinHolder;
	atTill: AtTill;
	till: Till;
};

/**
 * Signs a person in at a till by their PIN (spec §4.3). A wrong till, person or PIN gives the same
 * `pin_refused` after the same work. Throws `pin_locked` with Retry-After after 5 wrong PINs in a row at one
 * till or 20 within an hour at all tills of the tenant, `pin_sign_in_busy` when the hashing queue is full,
 * and `too_many_sign_ins` when the person's, the till's or the tenant's share of it is used up.
 */
export async function signIn(pos: Pos, attempt: PinSignIn): Promise<TillSession> {
	const { tenant, subject, pin, origin } = attempt;
	const till = await findTill(pos, attempt.terminal, tenant);
	if (till === undefined) {
		const unknown = requesterOf({ tenant, subject, address: origin.address });
		await pos.unknownTillHashing.withShare(unknown, (share) => share.check(pin, undefined));
		throw failures.pin_refused();
	}
	const requester = requesterAtTill({ id: till.id, tenantId: till.tenant.id }, subject);
	const candidate = await pos.hashing.withShare(requester, async (share) => {
		const found = await findCandidate(pos, till, subject);
		if (found === undefined) await share.check(pin, undefined);
		else await checkPin(pos, { till, holder: found.holder, attempt, share });
		return found;
	});
	if (candidate === undefined) throw failures.pin_refused();
	return openSession(pos, till, { ...candidate, subject });
}

type Candidate = { holder: PinHolder; atTill: AtTill; outlet: Outlet };

/** Returns the person if they may sign in at this till with the right PIN, otherwise undefined. */
async function findCandidate(
	{ db, access }: Pos,
	{ tenant, outletId }: Till,
	subject: string,
): Promise<Candidate | undefined> {
	const person = await access.findPerson(tenant.id, subject);
	const [holder, outlet] = await inTenant(db, tenant.id, async (tx) => [
		await findPinHolder(tx, { tenantId: tenant.id, subject }),
		await findOutlet(tx, { tenantId: tenant.id, id: outletId }),
	]);
	const role = atTill(person, outletId);
	if (holder === undefined || outlet === undefined || role === undefined) return undefined;
	if (holder.outletId !== null && holder.outletId !== outletId) return undefined;
	return { holder, atTill: role, outlet };
}

type PinCheck = { till: Till; holder: PinHolder; attempt: PinSignIn; share: Hashing };

/** A counted attempt: at this till in a row, and at all tills of the tenant within the hour. */
type Counted = { key: AttemptKey; atTill: CountedAttempt; anywhere: CountedFailure };

/** Counts the attempt, checks the PIN and adjusts the counts. Throws `pin_refused` if the PIN is wrong. */
async function checkPin(pos: Pos, { till, holder, attempt, share }: PinCheck): Promise<void> {
	const { db } = pos;
	const key: AttemptKey = { tenantId: till.tenant.id, terminalId: till.id, userId: holder.userId };
	const counted = await count(pos, key);
	let isRight: boolean;
	try {
		({ matches: isRight } = await share.check(attempt.pin, holder.pinHash));
	} catch (error) {
		await inTenant(db, key.tenantId, async (tx) => {
			await takeBackFailure(tx, key, counted.anywhere);
			await takeBackAttempt(tx, key, counted.atTill);
		});
		throw error;
	}
	if (!isRight) {
		await recordLocks(pos, { counted, till, attempt });
		throw failures.pin_refused();
	}
	await inTenant(db, key.tenantId, async (tx) => {
		await takeBackFailure(tx, key, counted.anywhere);
		await clearAttempts(tx, key, counted.atTill);
	});
}

/**
 * Counts an attempt before the PIN is checked. While a lock is in force, throws `pin_locked` and counts
 * nothing.
 */
function count({ db, now }: Pos, key: AttemptKey): Promise<Counted> {
	const at = now();
	return inTenant(db, key.tenantId, async (tx) => {
		const anywhere = await countFailure(tx, key, at);
		if ("lockedUntil" in anywhere) throw locked("person", anywhere.lockedUntil, at);
		const atTill = await countAttempt(tx, key, at);
		if ("lockedUntil" in atTill) throw locked("terminal", atTill.lockedUntil, at);
		return { key, atTill, anywhere };
	});
}

function locked(scope: "person" | "terminal", until: Date, now: Date): Error {
	const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
	return failures.pin_locked({ fields: { scope }, headers: { "retry-after": String(seconds) } });
}

type Failed = { counted: Counted; till: Till; attempt: PinSignIn };

/**
 * Records the locks that a wrong PIN caused: an audit row each, and an event where the person is locked at
 * every till.
 */
async function recordLocks({ db, now }: Pos, { counted, till, attempt }: Failed): Promise<void> {
	const { key, atTill, anywhere } = counted;
	const isLockedHere = atTill.failures >= failuresMax;
	const mayBeLockedAnywhere = anywhere.failures >= hourlyFailuresMax;
	if (!isLockedHere && !mayBeLockedAnywhere) return;
	await inTenant(db, key.tenantId, async (tx) => {
		const about = { tenantId: key.tenantId, at: now(), subject: attempt.subject, ...attempt.origin };
		const actor = { kind: "system", id: "pos" } as const;
		const terminal = { terminal_id: key.terminalId };
		if (isLockedHere) {
			const detail = { ...terminal, failures: atTill.failures };
			await recordAudit(tx, { ...about, actor, action: "pin.locked", detail });
		}
		// A parallel attempt may have ended the lock (its PIN was right) or recorded it.
		const until = mayBeLockedAnywhere ? await claimLockRecord(tx, key, now()) : undefined;
		if (until === undefined) return;
		const detail = { ...terminal, failures: anywhere.failures, locked_until: until.toISOString() };
		await recordAudit(tx, { ...about, actor, action: "pin.locked_everywhere", detail });
		await recordEvent(tx, posPinLocked, {
			subject: attempt.subject,
			tenantId: key.tenantId,
			tenantSlug: till.tenant.slug,
			now: now(),
			data: { ...detail, user_id: attempt.subject, tenant_id: key.tenantId, outlet_id: till.outletId },
		});
	});
}

/**
 * Records the session and signs its token. If the PIN or the till changed meanwhile, `isTillTokenCurrent`
 * rejects the token.
 */
async function openSession(
	pos: Pos,
	till: Till,
	{ holder, atTill: role, outlet, subject }: Candidate & { subject: string },
): Promise<TillSession> {
	const { db, now } = pos;
	const id = randomUUID();
	const session = {
		id,
		tenantId: till.tenant.id,
		terminalId: till.id,
		userId: holder.userId,
		pinId: holder.pinId,
		now: now(),
		expiresAt: new Date(now().getTime() + lifeSeconds * 1_000),
	};
	await inTenant(db, till.tenant.id, (tx) => recordSession(tx, session));
	const person = { ...role, subject, name: holder.name, email: holder.email };
	const token = signTillToken(pos, { session: id, terminalId: till.id, tenant: till.tenant, outlet, person });
	return { token, expiresInSeconds: lifeSeconds, holder, atTill: role, till };
}
