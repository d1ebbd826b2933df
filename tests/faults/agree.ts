import { expect, vi } from "vitest";
import type { Ledger } from "./ledger.ts";
import { type LoadPeople, tokenIn } from "./load-people.ts";
import { call, claimsOf, ownPassword, signIn } from "./person.ts";
import { kinds, type Replicas } from "./replicas.ts";
import {
	countHospitalChanges,
	countSignOnChanges,
	countSubscriptions,
	countUndone,
	lastPosition,
	listApplied,
	listCopiedMembers,
	listEffects,
	listMembers,
	listOutbox,
	listPlaces,
	listWantedTypes,
	noteEffects,
	type StateLine,
} from "./service-state.store.ts";

/** Within this time everything works again without intervention. */
export const recoveryMs = 30_000;

/** Compares the state of the services with the responses and with each other. */
export type Agreement = {
	/** Throws, with the differences, if they do not agree before `by`. */
	reach(by: number): Promise<void>;
};

/** Waits until all events published so far are applied, then starts to record effects. */
export async function watchAgreement(
	replicas: Replicas,
	{ people, ledger }: { people: LoadPeople; ledger: Ledger },
): Promise<Agreement> {
	const { databases } = replicas;
	const settled = async () => expect(await openEnds(replicas)).toEqual([]);
	await vi.waitFor(settled, { timeout: recoveryMs, interval: 200 });
	const since = await lastPosition(databases.auth);
	await noteEffects(databases.hospital);
	const ids = people.members.map(({ id }) => id);
	return {
		async reach(by) {
			const timeout = Math.max(by - Date.now(), 1_000);
			await vi.waitFor(settled, { timeout, interval: 200 });
			expect(await copiesThatDiffer(replicas, ids)).toEqual([]);
			expect(await effectsThatDiffer(replicas, since)).toEqual([]);
			expect(await changesThatDiffer(replicas, ledger)).toEqual([]);
			expect(ledger.refused).toEqual([]);
			await expect
				.poll(() => plansInTokens(replicas, ledger), { timeout: 15_000, interval: 200 })
				.toEqual(replicas.of.auth.map(() => "GROWTH TRIAL"));
			await expect
				.poll(() => wrongAdmissions(replicas, ledger), { timeout: 15_000, interval: 200 })
				.toEqual([]);
		},
	};
}

/**
 * Of each service: what is not done yet, and the events of others that have not had their one effect in its
 * database.
 */
async function openEnds({ databases }: Replicas): Promise<string[]> {
	const undone = await Promise.all(kinds.map((kind) => countUndone(databases[kind])));
	const counts = kinds.flatMap((kind, index) =>
		Object.entries(undone[index] ?? {}).flatMap(([what, count]) =>
			count === 0 ? [] : [`${kind}: ${count} ${what}`],
		),
	);
	if (counts.length > 0) return counts;
	const published = (await Promise.all(kinds.map((kind) => listOutbox(databases[kind])))).flat();
	const ends = kinds.map(async (kind) => {
		const wanted = new Set(await listWantedTypes(databases[kind]));
		const applied = await listApplied(databases[kind]);
		const had = new Set(applied);
		const missing = published.filter(({ id, type }) => wanted.has(type) && !had.has(id)).length;
		return missing === 0 && applied.length === had.size
			? []
			: [`${kind}: ${missing} missing, ${applied.length - had.size} doubled`];
	});
	return (await Promise.all(ends)).flat();
}

/** Tenants, outlets and users that differ between the hospital and the sign-on service. */
async function copiesThatDiffer({ databases: { auth, hospital } }: Replicas, userIds: readonly string[]) {
	const [own, copied] = await Promise.all([listPlaces(auth), listPlaces(hospital)]);
	const [members, met] = [await listMembers(auth, userIds), await listCopiedMembers(hospital, userIds)];
	return [...linesThatDiffer(own, copied), ...linesThatDiffer(members, met)];
}

function linesThatDiffer(own: readonly StateLine[], copied: readonly StateLine[]): string[] {
	const there = new Map(copied.map(({ id, line }) => [id, line]));
	const known = new Set(own.map(({ id }) => id));
	return [
		...own.flatMap(({ id, line }) =>
			there.get(id) === line ? [] : [`${id}: ${line}, there ${there.get(id)}`],
		),
		...copied.flatMap(({ id, line }) => (known.has(id) ? [] : [`${id}: only there, ${line}`])),
	];
}

const copiedTypes = /^(tenant\.|outlet\.changed$|auth\.user\.updated$)/;

/** Entities whose effects at the hospital differ from their events: each one once, in order. */
async function effectsThatDiffer(
	{ databases: { auth, hospital } }: Replicas,
	since: bigint,
): Promise<string[]> {
	const effects = await listEffects(hospital);
	const met = new Set((await listPlaces(hospital)).map(({ id }) => id));
	const published = (await listOutbox(auth, since)).filter(({ type }) => copiedTypes.test(type));
	const wanted = Map.groupBy(published, ({ subject }) => subject);
	if (wanted.size === 0) return ["nothing was published"];
	return [...wanted].flatMap(([subject, events]) => {
		const isPerson = events[0]?.type === "auth.user.updated";
		if (!isPerson && !met.has(subject)) return [`${subject}: not there`];
		const due = events.map(({ version }) => version).join();
		const had = (effects.get(subject) ?? []).join();
		return due === had || (isPerson && had === "") ? [] : [`${subject}: published ${due}, applied ${had}`];
	});
}

/** Acknowledged changes that were not made, and changes made more often than requested. */
async function changesThatDiffer({ databases }: Replicas, { done, unknown }: Ledger): Promise<string[]> {
	const made = new Map([
		...(await countSignOnChanges(databases.auth)),
		...(await countSubscriptions(databases.subscriptions)),
		...(await countHospitalChanges(databases.hospital)),
	]);
	return [...new Set([...done.keys(), ...unknown.keys()])].flatMap((key) => {
		const [least, count] = [done.get(key) ?? 0, made.get(key) ?? 0];
		const most = least + (unknown.get(key) ?? 0);
		return count >= least && count <= most ? [] : [`${key}: ${least} to ${most} requested, ${count} made`];
	});
}

/** Tokens of ended sessions that a process of the hospital accepts, and of open sessions that it refuses. */
async function wrongAdmissions({ of }: Replicas, { left, stayed }: Ledger): Promise<string[]> {
	const asked = of.hospital.flatMap(({ name, url }) => {
		const at = async (token: string, wanted: number, who: string) => {
			const { status } = await call(`${url}/api/v1/uhai/hospital/auth/me`, { token });
			return status === wanted ? [] : [`${who}: ${status} at ${name}`];
		};
		return [
			...left.map((token) => at(token, 401, "signed out")),
			...stayed.map((token) => at(token, 200, "signed in")),
		];
	});
	return (await Promise.all(asked)).flat();
}

/**
 * The plan in a token of each process of the sign-on service, for the person who chose one last. The
 * processes knew of no plan before.
 */
async function plansInTokens({ of }: Replicas, { subscribed }: Ledger): Promise<string[]> {
	if (subscribed === undefined) throw new Error("no plan was chosen");
	const answers = of.auth.map(({ url }) => signIn(url, subscribed, ownPassword));
	return (await Promise.all(answers)).map((answer) => {
		const { sub_plan, sub_status } = claimsOf(tokenIn(answer));
		return `${sub_plan} ${sub_status}`;
	});
}
