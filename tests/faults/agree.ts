import { expect, vi } from "vitest";
import { type Cast, tokenIn } from "./cast.ts";
import {
	countHospitalChanges,
	countSignOnChanges,
	countSubscriptions,
	countUndone,
	type Held,
	lastTold,
	listApplied,
	listCopiedMembers,
	listEffects,
	listMembers,
	listPlaces,
	listTold,
	listWantedTypes,
	noteEffects,
} from "./held.store.ts";
import type { Ledger } from "./ledger.ts";
import { call, claimsOf, ownPassword, signIn } from "./person.ts";
import { kinds, type Replicas } from "./replicas.ts";

/** In this time everything goes its way again, without a person's help. */
export const recoveryMs = 30_000;

/** Compares what the services hold with what was answered and with each other. */
export type Agreement = {
	/** Fails, with what differs, when they have not come to agree within the time that is left until `by`. */
	reach(by: number): Promise<void>;
};

/** Begins to watch effects; before it, what was told so far has to have had its effect. */
export async function watchAgreement(
	replicas: Replicas,
	{ cast, ledger }: { cast: Cast; ledger: Ledger },
): Promise<Agreement> {
	const { databases } = replicas;
	const settled = async () => expect(await openEnds(replicas)).toEqual([]);
	await vi.waitFor(settled, { timeout: recoveryMs, interval: 200 });
	const since = await lastTold(databases.auth);
	await noteEffects(databases.hospital);
	const ids = cast.members.map(({ id }) => id);
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
				.poll(() => strangersLetIn(replicas, ledger), { timeout: 15_000, interval: 200 })
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
	const told = (await Promise.all(kinds.map((kind) => listTold(databases[kind])))).flat();
	const ends = kinds.map(async (kind) => {
		const wanted = new Set(await listWantedTypes(databases[kind]));
		const applied = await listApplied(databases[kind]);
		const had = new Set(applied);
		const missing = told.filter(({ id, type }) => wanted.has(type) && !had.has(id)).length;
		return missing === 0 && applied.length === had.size
			? []
			: [`${kind}: ${missing} missing, ${applied.length - had.size} doubled`];
	});
	return (await Promise.all(ends)).flat();
}

/** Tenants, outlets and people that the hospital holds otherwise than the sign-on service. */
async function copiesThatDiffer({ databases: { auth, hospital } }: Replicas, userIds: readonly string[]) {
	const [own, copied] = await Promise.all([listPlaces(auth), listPlaces(hospital)]);
	const [members, met] = [await listMembers(auth, userIds), await listCopiedMembers(hospital, userIds)];
	return [...linesThatDiffer(own, copied), ...linesThatDiffer(members, met)];
}

function linesThatDiffer(own: readonly Held[], copied: readonly Held[]): string[] {
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

/** Entities whose effects at the hospital are not those their events told, each once and in their order. */
async function effectsThatDiffer(
	{ databases: { auth, hospital } }: Replicas,
	since: bigint,
): Promise<string[]> {
	const effects = await listEffects(hospital);
	const met = new Set((await listPlaces(hospital)).map(({ id }) => id));
	const told = (await listTold(auth, since)).filter(({ type }) => copiedTypes.test(type));
	const wanted = Map.groupBy(told, ({ subject }) => subject);
	if (wanted.size === 0) return ["nothing was told"];
	return [...wanted].flatMap(([subject, events]) => {
		const isPerson = events[0]?.type === "auth.user.updated";
		if (!isPerson && !met.has(subject)) return [`${subject}: not there`];
		const due = events.map(({ version }) => version).join();
		const had = (effects.get(subject) ?? []).join();
		return due === had || (isPerson && had === "") ? [] : [`${subject}: told ${due}, had ${had}`];
	});
}

/** Changes that were answered as done and are not there, or there more often than they were asked for. */
async function changesThatDiffer({ databases }: Replicas, { done, unknown }: Ledger): Promise<string[]> {
	const made = new Map([
		...(await countSignOnChanges(databases.auth)),
		...(await countSubscriptions(databases.subscriptions)),
		...(await countHospitalChanges(databases.hospital)),
	]);
	return [...new Set([...done.keys(), ...unknown.keys()])].flatMap((key) => {
		const [least, count] = [done.get(key) ?? 0, made.get(key) ?? 0];
		const most = least + (unknown.get(key) ?? 0);
		return count >= least && count <= most ? [] : [`${key}: ${least} to ${most} asked for, ${count} made`];
	});
}

/**
 * Who signed out and is let in all the same, and who did not and is refused, at each process of the hospital.
 */
async function strangersLetIn({ of }: Replicas, { left, stayed }: Ledger): Promise<string[]> {
	const asked = of.hospital.flatMap(({ name, url }) => {
		const at = async (token: string, wanted: number, who: string) => {
			const { status } = await call(`${url}/api/v1/uhai/hospital/auth/me`, { token });
			return status === wanted ? [] : [`${who}: ${status} at ${name}`];
		};
		return [
			...left.map((token) => at(token, 401, "who signed out")),
			...stayed.map((token) => at(token, 200, "who stayed")),
		];
	});
	return (await Promise.all(asked)).flat();
}

/**
 * What each process of the sign-on service says in a token of who chose a plan last; before they had chosen,
 * it knew of none.
 */
async function plansInTokens({ of }: Replicas, { subscribed }: Ledger): Promise<string[]> {
	if (subscribed === undefined) throw new Error("nobody chose a plan");
	const answers = of.auth.map(({ url }) => signIn(url, subscribed, ownPassword));
	return (await Promise.all(answers)).map((answer) => {
		const { sub_plan, sub_status } = claimsOf(tokenIn(answer));
		return `${sub_plan} ${sub_status}`;
	});
}
