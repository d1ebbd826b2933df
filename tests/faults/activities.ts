import { randomBytes } from "node:crypto";
import type { Ledger } from "./ledger.ts";
import { type LoadPeople, tokenIn } from "./load-people.ts";
import {
	authorize,
	call,
	codeIn,
	cookieOf,
	ownPassword,
	refresh,
	register,
	signIn,
	trade,
} from "./person.ts";

export const activities = ["sign in", "refresh", "code", "found", "roles", "hospital", "leave"] as const;
export type Activity = (typeof activities)[number];

type Place = { auth: string; subscriptions: string; hospital: string; people: LoadPeople; ledger: Ledger };
/** One iteration. Returns whether all of its requests succeeded. */
type Iteration = () => Promise<boolean>;

/** The activities that people repeat, each one iteration after the other. */
export function activitiesOf(place: Place): Readonly<Record<Activity, Iteration>> {
	const { auth, ledger } = place;
	return {
		"sign in": async () => ledger.note("sign in", await signIn(auth, "nurse@uhai.example")),
		refresh: refreshing(place),
		code: tradingCodes(place),
		found: () => found(place),
		roles: changingRoles(place),
		hospital: changingHospital(place),
		leave: leaving(place),
	};
}

const sessionsCount = 3;

/**
 * Keeps a few sessions, each by the token that came last. No other work signs in as this person: a 51st
 * session would end the oldest.
 */
function refreshing({ auth, ledger }: Place): Iteration {
	const held: string[] = [];
	let turn = 0;
	return async () => {
		if (held.length < sessionsCount) {
			const begun = await signIn(auth, "cashier@kahawa.example");
			if (!ledger.note("sign in", begun)) return false;
			held.push(String(begun.body["refresh_token"]));
			return true;
		}
		turn = (turn + 1) % sessionsCount;
		const next = await refresh(auth, held[turn] ?? "");
		if (!ledger.note("refresh", next)) return false;
		held[turn] = String(next.body["refresh_token"]);
		return true;
	};
}

/**
 * A browser that is signed in gets a code, and its client trades it twice at once: as the round-robin goes,
 * at both processes.
 */
function tradingCodes({ auth, ledger }: Place): Iteration {
	let cookie: string | undefined;
	return async () => {
		if (cookie === undefined) {
			const begun = await signIn(auth, "owner@kahawa.example");
			if (!ledger.note("sign in", begun)) return false;
			cookie = cookieOf(begun);
		}
		const sentBack = await authorize(auth, cookie);
		if (!ledger.note("authorize", sentBack)) return false;
		const code = codeIn(sentBack);
		if (code === undefined) throw new Error(`no code in ${sentBack.headers.get("location")}`);
		return tradeTwice(auth, code, ledger);
	};
}

async function tradeTwice(auth: string, code: string, ledger: Ledger): Promise<boolean> {
	const answers = await Promise.all([trade(auth, code), trade(auth, code)]);
	const given = answers.filter(({ status }) => status === 200).length;
	const lost = answers.filter(({ status }) => status !== 200 && status !== 400);
	for (const answer of lost) ledger.note("trade", answer);
	if (given > 1 || (given === 0 && lost.length === 0))
		ledger.refused.push(`a code was traded ${given} times`);
	return given === 1 && lost.length === 0;
}

/** Somebody registers with a tenant, chooses a plan with several outlets, opens one and changes it twice. */
async function found({ auth, subscriptions, ledger }: Place): Promise<boolean> {
	const slug = `clinic-${randomBytes(5).toString("hex")}`;
	const registered = await register(auth, slug);
	if (!ledger.note("register", registered, `tenant ${slug}`)) return false;
	const tenantId = String((registered.body["tenant"] as { id: string }).id);
	const email = `neema@${slug}.example`;
	const begun = await signIn(auth, email, ownPassword);
	if (!ledger.note("sign in", begun)) return false;
	const token = tokenIn(begun);
	const chosen = `${subscriptions}/api/v1/tenants/${tenantId}/subscription`;
	const plan = await call(chosen, { token, body: { plan: "GROWTH" } });
	if (!ledger.note("choose a plan", plan, `subscription ${tenantId}`)) return false;
	ledger.subscribed = email;
	const outlets = `${auth}/api/v1/tenants/${slug}/outlets`;
	const body = { code: "WARD", name: "Ward", use_case: "services" };
	const opened = await call(outlets, { token, body });
	if (!ledger.note("open an outlet", opened, `outlet ${tenantId}/WARD`)) return false;
	for (const name of ["Ward Block", "Ward Two"]) {
		const changed = await call(`${outlets}/${opened.body["id"]}`, { method: "PATCH", token, body: { name } });
		if (!ledger.note("change an outlet", changed, `outlet changed ${opened.body["id"]}`)) return false;
	}
	return true;
}

const rolesInTurn = [["staff"], ["member"], ["viewer"]];

/** Gives one member after the other other roles. */
function changingRoles({ auth, people, ledger }: Place): Iteration {
	let turn = 0;
	return async () => {
		turn += 1;
		const { id = "" } = people.members[turn % people.members.length] ?? {};
		const roles = rolesInTurn[Math.floor(turn / people.members.length) % rolesInTurn.length];
		const url = `${auth}/api/v1/tenants/uhai/members/${id}/roles`;
		const changed = await call(url, { method: "PUT", token: people.admin, body: { roles } });
		return ledger.note("change roles", changed, `roles changed ${id}`);
	};
}

const ownRolesMax = 40;

/** Makes roles of the hospital's own, and changes them. */
function changingHospital({ hospital, people, ledger }: Place): Iteration {
	const made: string[] = [];
	let turn = 0;
	const url = `${hospital}/api/v1/uhai/hospital/roles`;
	return async () => {
		turn += 1;
		if (made.length < ownRolesMax && turn % 3 === 1) {
			const code = `ward-${randomBytes(5).toString("hex")}`;
			const body = { code, permissions: ["hospital.users.view"] };
			if (!ledger.note("make a role", await call(url, { token: people.admin, body }), `role ${code}`))
				return false;
			made.push(code);
			return true;
		}
		const code = made[turn % made.length];
		if (code === undefined) return false;
		const body = { description: `As it was changed in turn ${turn}` };
		const changed = await call(`${url}/${code}`, { method: "PATCH", token: people.admin, body });
		return ledger.note("change a role", changed, `role changed ${code}`);
	};
}

const signedOutMax = 20;
/**
 * Every sign-in opens a browser session, and the 51st of a person ends the oldest with its client sessions.
 * One sign-in of three is remembered here, so 12 of them are among the newest 50.
 */
const signedInMax = 12;

/** Signs in and calls the hospital; two of three then sign out. */
function leaving({ auth, hospital, ledger }: Place): Iteration {
	let turn = 0;
	const remember = (list: string[], token: string, max: number) => {
		list.push(token);
		if (list.length > max) list.shift();
	};
	return async () => {
		turn += 1;
		const begun = await signIn(auth, "pharm@uhai.example");
		if (!ledger.note("sign in", begun)) return false;
		const token = tokenIn(begun);
		const met = await call(`${hospital}/api/v1/uhai/hospital/auth/me`, { token });
		if (!ledger.note("come to the hospital", met)) {
			// Beyond 50 sessions of a person the oldest ends, and with it one that is expected to last.
			await call(`${auth}/api/v1/auth/logout`, { method: "POST", token });
			return false;
		}
		if (turn % 3 === 0) {
			remember(ledger.stayed, token, signedInMax);
			return true;
		}
		const signedOut = await call(`${auth}/api/v1/auth/logout`, { method: "POST", token });
		if (!ledger.note("sign out", signedOut)) return false;
		remember(ledger.left, token, signedOutMax);
		return true;
	};
}
