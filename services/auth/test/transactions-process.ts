import { randomBytes, randomUUID } from "node:crypto";
import { createLog } from "@lango/chassis";
import { inTenant, openPool } from "@lango/postgres";
import { answerSlices } from "../../../bench/events/transactions/answer-slices.ts";
import { fillLiveSessions, reviveSessions } from "../../../bench/events/transactions/transactions.store.ts";
import { findClient, upsertClient } from "../src/clients/client.store.ts";
import { scopesSupported } from "../src/clients/client.ts";
import { changeOutlet } from "../src/outlets/change-outlet.ts";
import { recordOutlet } from "../src/outlets/outlet.store.ts";
import { createRefreshTokens } from "../src/secrets/refresh-token.ts";
import { endSession } from "../src/sessions/logout/end-session.ts";
import { openSignIn } from "../src/sign-in/open-sign-in.ts";
import { findSignIn } from "../src/sign-in/sign-in.store.ts";

/**
 * Transactions of this service that record an event, for the benchmark of events. Each is a function of the
 * service, called without HTTP. The arguments are the address of a filled database, its address for the
 * administrator, and the name of the transaction.
 */
const [, , url = "", adminUrl = "", transaction = ""] = process.argv;
const db = openPool({ url, name: "bench", sizeMax: 8 });
const log = createLog("bench", "warn");
const now = () => new Date();
const clientId = "cafe-website";
const peopleMax = 200;
/** More than are ended in one slice. */
const sessionsMax = 20_000;

let n = 0;
const next = <T>(all: readonly T[]): T => {
	n += 1;
	const one = all[n % all.length];
	if (one === undefined) throw new Error("there is nothing to take one of");
	return one;
};
const originNow = () => ({
	actorUserId: undefined,
	ip: "192.0.2.7",
	requestId: randomUUID(),
	now: now(),
});

async function findPeople() {
	const found = Array.from({ length: peopleMax }, (_, at) =>
		findSignIn(db, { emailFolded: `person-${at + 1}@bench.example`, tenantSlug: "" }),
	);
	return (await Promise.all(found)).map((one) => {
		const { passwordHash: hash, membershipState } = one ?? {};
		if (hash === undefined || membershipState === undefined) throw new Error("the database is not filled");
		return { hash, userId: membershipState.user.id, tenant: membershipState.tenant };
	});
}

/** What follows once a password was proved: both sessions and the event. */
async function signIns() {
	const people = await findPeople();
	const client = await findClient(db, clientId);
	if (client === undefined) throw new Error("there is no client");
	const refreshTokens = createRefreshTokens([{ id: "bench", key: randomBytes(32) }]);
	const transact = async () => {
		const { userId, hash, tenant } = next(people);
		const proof = { userId, tenantId: tenant.id, hash };
		const attempt = {
			ip: "127.0.0.1",
			correlationId: randomUUID(),
			likeness: undefined,
			formerCookie: undefined,
			userAgent: "",
			place: undefined,
		};
		const opened = await openSignIn({ db, log, now, refreshTokens }, { attempt, client, proof });
		if (opened === undefined) throw new Error("the sign-in failed");
	};
	return { transact };
}

/** An outlet's name is changed, with its audit row. */
async function outletChanges() {
	const people = await findPeople();
	const tenants = [...new Map(people.map(({ tenant }) => [tenant.id, tenant])).values()];
	const outlet = { code: "BENCH", name: "Bench", useCase: "retail", isHq: false, settings: {} };
	const settings = { platformOwnerSlug: "lango" };
	const subscriptions = { ask: () => Promise.reject(new Error("the platform owner needs no plan")) };
	const needs = { db, settings, subscriptions };
	const by = { userId: randomUUID(), roles: ["superuser"], isPlatformOwner: true };
	const opened = tenants.map(async (tenant) => ({
		tenant,
		by,
		id: (await inTenant(db, tenant.id, (tx) => recordOutlet(tx, { ...outlet, tenantId: tenant.id }))).id,
	}));
	const outlets = await Promise.all(opened);
	const transact = () =>
		changeOutlet(needs, { ...next(outlets), change: { name: `Bench ${n}` } }, originNow());
	return { transact };
}

/** One session is ended: the shortest there is, one statement besides its event. */
async function sessionEnds() {
	const sessions = await fillLiveSessions(adminUrl, sessionsMax);
	const transact = async () => {
		const { now: at, requestId: correlationId } = originNow();
		const ending = { now: at, because: "signed_out", correlationId } as const;
		if ((await endSession(db, { ...next(sessions), ...ending })) === undefined)
			throw new Error("the session had ended before");
	};
	return { transact, restore: () => reviveSessions(adminUrl) };
}

await upsertClient(db, {
	clientId,
	name: "Café website",
	scopes: scopesSupported,
	isPublic: true,
	secretHash: null,
	isPkceRequired: true,
	idTokenAlgorithm: "RS256",
	isIdTokenAtRefresh: false,
	isFirstParty: true,
	redirectUris: ["http://localhost:3002/auth/callback"],
	postLogoutRedirectUris: [],
});
const transactions: Readonly<Record<string, () => Promise<Parameters<typeof answerSlices>[0]>>> = {
	"sign-in": signIns,
	outlet: outletChanges,
	session: sessionEnds,
};
const begin = transactions[transaction];
if (begin === undefined) throw new Error(`there is no transaction ${transaction}`);
answerSlices(await begin());
